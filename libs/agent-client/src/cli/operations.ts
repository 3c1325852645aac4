import { operations, vaultIdOf, type ExecuteRequest } from '@yield-vault/protocol';
import { IntentFailedError, IntentPendingError } from '../errors.js';
import { describeEvent } from '../flow/events.js';
import { execute } from '../flow/execute.js';
import { prepareFields } from '../flow/expected-operation.js';
import { submitIntent } from '../flow/submit-intent.js';
import type { FlowEvent } from '../flow/types.js';
import { walletNodeOf } from '../flow/wallet-node.js';
import { signIntent } from '../sign/sign-intent.js';
import { accepted } from '../verify/result.js';
import { describeEnvelope } from '../verify/verify-envelope.js';
import { CommandFailure, readJson, toJson, type CliIo } from './io.js';
import { accountOf, readRequest, required, toAddress, type Session } from './session.js';
import { verifyFile } from './verify-file.js';

/** Request a setup or an intent. Nothing of the response is verified. */
export async function prepare(operation: string, session: Session) {
  const { request, chainId } = await readRequest(operation, session);
  return session.client.prepare({
    ...prepareFields(request, chainId),
    chain: session.chain,
    agentAddress: toAddress(required(session.wallet, 'wallet')),
    vaultId: vaultIdOf(chainId, request.vault),
  });
}

/**
 * Verify a prepare response, and sign it.
 *
 * @returns what goes to `executeOrRelay`
 * @throws {VerificationError} when it must not be signed
 */
export async function sign(file: string, operation: string | undefined, session: Session, io: CliIo) {
  const account = accountOf('PRIVATE_KEY', io);
  const { address: wallet } = account;
  const verified = await verifyFile(file, operation, { ...session, wallet }, io);
  if ('envelope' in verified && verified.envelope.sender === wallet)
    return { intentEnvelope: verified.envelope, intentSignature: await signIntent(account, verified) };
  throw new CommandFailure(
    `This is no intent of ${wallet}, the wallet of PRIVATE_KEY. If the wallet needs a setup, run execute with the request.`,
  );
}

/**
 * Execute an operation from prepare to the chain, or relay what `sign` returned. An intent whose outcome is unknown is printed.
 *
 * @throws {IntentPendingError} after an intent was sent, for every error but `IntentFailedError`, also when the service refused it
 */
export async function executeOrRelay(what: string, session: Session, io: CliIo) {
  let sent: ExecuteRequest | undefined;
  const { execute: send } = session.client;
  const client = { ...session.client, execute: (request: ExecuteRequest) => send((sent = request)) };
  try {
    return await (operations.some((operation) => operation === what)
      ? executeRequest(what, { ...session, client }, io)
      : relayFile(what, { ...session, client }, io));
  } catch (error) {
    if (!sent || error instanceof IntentFailedError) throw error;
    io.out(toJson(sent));
    if (error instanceof IntentPendingError) throw error;
    // A service that refuses an intent can still send it.
    throw new IntentPendingError(sent, sent.intentEnvelope.expiry, error);
  }
}

async function executeRequest(operation: string, session: Session, io: CliIo) {
  const rpc = required(session.rpc, 'rpc');
  const signer = accountOf('PRIVATE_KEY', io);
  const onProgress = (event: FlowEvent) => {
    for (const line of describeEvent(event)) io.note(line);
  };
  const { request } = await readRequest(operation, session);
  return (await execute({ ...session, rpc, signer, onProgress }, request)).execution;
}

async function relayFile(file: string, { client, addressBook, rpc }: Session, io: CliIo) {
  const { intentEnvelope, intentSignature } = (await readJson(file, io)) as Partial<ExecuteRequest>;
  if (!intentSignature) throw new CommandFailure(`${file} is not signed. Give it to sign first.`);
  const verified = accepted(describeEnvelope(intentEnvelope, { addressBook }));
  const node = walletNodeOf({ rpc: required(rpc, 'rpc') });
  await node.requireChain(verified.deployment.chain, verified.deployment.chainId);
  return submitIntent(client, node, verified, { intentEnvelope: verified.envelope, intentSignature });
}
