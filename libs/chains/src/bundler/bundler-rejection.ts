import { readable } from '@yield-vault/contracts';
import { findAaCode, type AaCode } from '@yield-vault/protocol';
import type { Hex } from 'viem';

/** The bundler refused the request. */
export class BundlerRejection extends Error {
  override readonly name = 'BundlerRejection';
  /** ERC-7769 code, e.g. -32500. */
  readonly bundlerCode: number;
  /** EntryPoint code, where the message or the revert names one. */
  readonly aaCode: AaCode | undefined;
  /** Revert data of the execution, where the bundler reports it. */
  readonly revertData: Hex | undefined;

  constructor(refusal: {
    readonly bundlerCode: number;
    readonly message: string;
    readonly revertData?: Hex;
    readonly cause?: unknown;
  }) {
    super(readable(refusal.message), { cause: refusal.cause });
    this.bundlerCode = refusal.bundlerCode;
    this.aaCode = findAaCode(refusal.message);
    this.revertData = refusal.revertData;
  }
}
