import {
  parseExpectations,
  parseGaslessSetupExpectations,
  parseSetupExpectations,
} from '../verify/expectations.js';
import {
  describeEnvelope,
  verifyEnvelope,
  type EnvelopeResult,
  type VerifyOptions,
} from '../verify/verify-envelope.js';
import { verifyGaslessSetup, type GaslessSetupResult } from '../verify/verify-gasless-setup.js';
import { verifySetup, type SetupResult } from '../verify/verify-setup.js';
import { CommandFailure, loadBook, readJson, toJson, type BookOptions, type CliIo } from './io.js';

/** Options of `verify`. */
export interface VerifyFileOptions extends BookOptions {
  /** A file with the expectations. */
  readonly expect?: string;
  readonly json?: boolean;
}

/**
 * Say what a prepare response does: its envelope, its setup, or its gasless setup if that is expected.
 *
 * @returns whether it may be signed
 * @throws {CommandFailure} when there is nothing to verify
 */
export async function verifyFile(file: string, options: VerifyFileOptions, io: CliIo): Promise<boolean> {
  const addressBook = await loadBook(options, io);
  const expected = options.expect === undefined ? undefined : await readJson(options.expect, io);
  const result = resultOf(await readJson(file, io), expected, { addressBook });
  if (options.json) io.out(toJson(result));
  else print(result, io);
  if (result.ok && expected === undefined)
    io.note('No expectations were given: compare it with your request, or pass --expect.');
  if (result.ok && !('envelope' in result) && !has(expected, 'walletCode'))
    io.note('The current delegation of the wallet is unknown, and this would replace it: expect walletCode.');
  return result.ok;
}

type Result = EnvelopeResult | SetupResult | GaslessSetupResult;

function resultOf(document: unknown, expected: unknown, options: VerifyOptions): Result {
  if (has(expected, 'authorizationNonce') || has(expected, 'permitNonce'))
    return verifyGaslessSetup(document, parseGaslessSetupExpectations(expected), options);
  const { setup, execution, intentEnvelope } = (document ?? {}) as Readonly<Record<string, unknown>>;
  if (setup) {
    if (expected === undefined)
      throw new CommandFailure('A setup needs --expect, e.g. {"wallet":"0x…","chain":"base"}.');
    return verifySetup(document, parseSetupExpectations(expected), options);
  }
  const inside = (execution as { intentEnvelope?: unknown } | null | undefined)?.intentEnvelope;
  const envelope = inside ?? intentEnvelope ?? document;
  return expected === undefined
    ? describeEnvelope(envelope, options)
    : verifyEnvelope(envelope, parseExpectations(expected), options);
}

function has(expected: unknown, field: 'authorizationNonce' | 'permitNonce' | 'walletCode'): boolean {
  return (expected as Readonly<Record<string, unknown>> | undefined)?.[field] !== undefined;
}

function print(result: Result, io: CliIo): void {
  if (!result.ok) {
    io.out(`REFUSED ${result.reason}\n${result.field && `  ${result.field}: `}${result.detail}`);
    return;
  }
  io.out(['OK', ...result.summary.map((line) => `  ${line}`)].join('\n'));
  if ('digest' in result) io.out(`  signs ${result.digest} (user operation ${result.userOpHash})`);
}
