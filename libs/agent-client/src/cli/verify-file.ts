import { describeEnvelope } from '../verify/describe-envelope.js';
import { parseExpectations, parseSetupExpectations } from '../verify/parse-expectations.js';
import type { EnvelopeVerdict, SetupVerdict, VerifyOptions } from '../verify/types.js';
import { verifyEnvelope } from '../verify/verify-envelope.js';
import { verifySetup } from '../verify/verify-setup.js';
import type { CliIo } from './io.js';
import { loadBook, type BookOptions } from './load-book.js';
import { CommandFailure } from './outcome.js';
import { readJson } from './read-json.js';
import { toJson } from './to-json.js';

/** Options of `verify`. */
export interface VerifyFileOptions extends BookOptions {
  /** A file with what was asked for. */
  readonly expect?: string;
  readonly json?: boolean;
}

/**
 * Say what a document of prepare does: the whole answer, its envelope, or its setup.
 *
 * @returns Whether it may be signed, as far as that can be told.
 * @throws {CommandFailure} When there is nothing to verify.
 */
export async function verifyFile(file: string, options: VerifyFileOptions, io: CliIo): Promise<boolean> {
  const addressBook = await loadBook(options, io);
  const expected = options.expect === undefined ? undefined : await readJson(options.expect, io);
  const verdict = verdictOf(await readJson(file, io), expected, { addressBook });
  if (options.json) io.out(toJson(verdict));
  else print(verdict, io);
  if (verdict.ok && expected === undefined)
    io.note('Nothing says that anybody asked for this: compare it, or give --expect.');
  if (verdict.ok && 'setupTicket' in verdict && !hasWalletCode(expected))
    io.note('Nothing says what the wallet is delegated to now, which this would replace: expect walletCode.');
  return verdict.ok;
}

function verdictOf(
  document: unknown,
  expected: unknown,
  options: VerifyOptions,
): EnvelopeVerdict | SetupVerdict {
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

function hasWalletCode(expected: unknown): boolean {
  return (expected as { readonly walletCode?: unknown }).walletCode !== undefined;
}

function print(verdict: EnvelopeVerdict | SetupVerdict, io: CliIo): void {
  if (!verdict.ok) {
    io.out(`REFUSED ${verdict.reason}\n${verdict.field && `  ${verdict.field}: `}${verdict.detail}`);
    return;
  }
  io.out(['OK', ...verdict.summary.map((line) => `  ${line}`)].join('\n'));
  if ('digest' in verdict) io.out(`  signs ${verdict.digest} (user operation ${verdict.userOpHash})`);
}
