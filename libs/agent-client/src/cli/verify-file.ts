import { narrowToTarget } from '../flow/expected-operation.js';
import { verifySetupWithNode, verifyWithNode } from '../flow/verify-with-node.js';
import {
  parseExpectations,
  parseGaslessSetupExpectations,
  parseSetupExpectations,
} from '../verify/expectations.js';
import { accepted } from '../verify/result.js';
import { verifyEnvelope, type VerifiedEnvelope, type VerifyOptions } from '../verify/verify-envelope.js';
import { verifyGaslessSetup, type VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import { verifySetup, type VerifiedSetup } from '../verify/verify-setup.js';
import { CommandFailure, readJson, type CliIo } from './io.js';
import { readRequest, required, toAddress, type Session } from './session.js';

/** A document that may be signed. */
export type Verified = VerifiedEnvelope | VerifiedSetup | VerifiedGaslessSetup;

/**
 * Verify a prepare response: its envelope, its setup, or its gasless setup if that is expected.
 *
 * @param operation - the request that it must match, in place of expectations
 * @throws {VerificationError} when it must not be signed
 * @throws {CommandFailure} when there is nothing to verify, or nothing to match it with
 */
export async function verifyFile(
  file: string,
  operation: string | undefined,
  session: Session,
  io: CliIo,
): Promise<Verified> {
  const { addressBook, expect } = session;
  if ((operation === undefined) === (expect === undefined))
    throw new CommandFailure(
      'Give one of --expect <file> and the request, e.g. deposit --vault <vault> --amount 25 --wallet <address>.',
    );
  const document = (await readJson(file, io)) ?? {};
  if (operation !== undefined) return verifyRequest(document, operation, session);
  const expected = await readJson(required(expect, 'expect'), io);
  const verified = verifyExpected(document, expected, { addressBook });
  if (!('envelope' in verified) && !has(expected, 'walletCode'))
    io.note('The current delegation of the wallet is unknown, and this would replace it: expect walletCode.');
  return verified;
}

async function verifyRequest(document: object, operation: string, session: Session) {
  const rpc = required(session.rpc, 'rpc');
  const own = { ...session, rpc, wallet: toAddress(required(session.wallet, 'wallet')) };
  const { request, chainId } = await readRequest(operation, session);
  return has(document, 'setup')
    ? verifySetupWithNode(own, document)
    : verifyWithNode(own, narrowToTarget(request, chainId, document), envelopeIn(document));
}

function verifyExpected(document: object, expected: unknown, options: VerifyOptions) {
  if (has(expected, 'authorizationNonce') || has(expected, 'permitNonce'))
    return accepted(verifyGaslessSetup(document, parseGaslessSetupExpectations(expected), options));
  if (has(document, 'setup'))
    return accepted(verifySetup(document, parseSetupExpectations(expected), options));
  return accepted(verifyEnvelope(envelopeIn(document), parseExpectations(expected), options));
}

function envelopeIn(document: object): unknown {
  const { execution, intentEnvelope } = document as Readonly<Record<string, { intentEnvelope?: unknown }>>;
  return execution?.intentEnvelope ?? intentEnvelope ?? document;
}

function has(document: unknown, field: string): boolean {
  const value = (document as Readonly<Record<string, unknown>> | undefined)?.[field];
  return value !== undefined && value !== null;
}
