import { errorCatalogue, type ErrorCode } from './error-catalogue.js';

/** Plain JSON that may be shown to a caller. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const brand = Symbol.for('@yield-vault/ServiceError');

/** The particulars of one error. */
export interface ServiceErrorOptions {
  /** What was wrong with this call, in one sentence. */
  readonly detail: string;
  /** Plain JSON that may be shown to the caller. */
  readonly details?: Readonly<Record<string, Json>>;
  /** Replaces the next action of the catalogue. */
  readonly nextAction?: string;
  /** Replaces the value of the catalogue. */
  readonly retryable?: boolean;
  /** Seconds to wait before the same call may be repeated. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/**
 * Base class of every failure that the interface names. `message` is the documented sentence, `code` a
 * stable constant; it contains no secret. Libraries throw it and know no HTTP.
 */
export abstract class ServiceError extends Error {
  static {
    Object.defineProperty(this.prototype, brand, { value: true });
    // An importer may have two copies of this package, so `instanceof` compares codes.
    Object.defineProperty(this, Symbol.hasInstance, {
      value(this: { readonly code?: ErrorCode }, thrown: unknown): boolean {
        if (typeof thrown !== 'object' || thrown === null || !(brand in thrown)) return false;
        return this.code === undefined || this.code === (thrown as { readonly code?: unknown }).code;
      },
    });
  }

  abstract readonly code: ErrorCode;
  readonly detail: string;
  readonly details: Readonly<Record<string, Json>>;
  readonly retryAfterSeconds: number | undefined;
  readonly #options: ServiceErrorOptions;

  constructor(code: ErrorCode, options: ServiceErrorOptions) {
    super(errorCatalogue[code].error, { cause: options.cause });
    this.name = new.target.name;
    this.detail = options.detail;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.#options = options;
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return this.#options.retryable ?? errorCatalogue[this.code].retryable;
  }

  /** What the caller should do next, in one sentence. */
  get nextAction(): string {
    return this.#options.nextAction ?? errorCatalogue[this.code].nextAction;
  }
}
