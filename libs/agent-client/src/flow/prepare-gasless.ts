import type {
  GaslessSetupRequest,
  PrepareExecutionResponse,
  PrepareSetupResponse,
} from '@yield-vault/protocol';
import { formatEther, type Address } from 'viem';
import { FlowError } from '../errors.js';
import { signGaslessSetup } from '../sign/sign-gasless-setup.js';
import type { EnvelopeExpectations } from '../verify/expectations.js';
import { accepted } from '../verify/result.js';
import { readSetupFee } from '../verify/verify-setup.js';
import type { Agent } from './types.js';
import { verifyPreparedGasless, type Own } from './verify-with-node.js';
import type { WalletNode } from './wallet-node.js';

// Room for the L1 fee of the OP stack, which comes on top and which nothing bounds.
const etherMargin = 2n;

/**
 * Choose how to set a wallet up: without ether where it has less than twice the highest cost of the transaction.
 *
 * @param offersGasless - whether the wallet can be set up without ether
 * @throws {FlowError} `INSUFFICIENT_FUNDS` when it lacks ether and needs it; nothing is signed
 * @throws {VerificationError} when the response is no setup
 * @throws {NodeFailedError} when the agent's own node fails
 */
export async function chooseSetup(
  wallet: Address,
  node: Pick<WalletNode, 'etherOf'>,
  prepared: PrepareSetupResponse,
  offersGasless: boolean,
): Promise<'transaction' | 'gasless'> {
  const { feeWei } = accepted(readSetupFee(prepared));
  const ether = await node.etherOf(wallet);
  if (offersGasless) return ether < feeWei * etherMargin ? 'gasless' : 'transaction';
  if (ether >= feeWei) return 'transaction';
  const missing = `The setup of ${wallet} may cost ${formatEther(feeWei)} ETH, and the wallet holds ${formatEther(ether)}.`;
  throw new FlowError('INSUFFICIENT_FUNDS', `${missing} Send ether to it.`);
}

/**
 * Verify the gasless setup of a prepare response, sign it and fetch the intent of the deposit. Nothing is stored, so it can be
 * repeated from the start until the intent is executed.
 *
 * @returns the response, and the nonces to expect in its envelope
 * @throws {VerificationError} when it is no setup of the address book, or replaces another delegation; nothing is signed
 * @throws {UnknownModulesError} when it would activate unknown modules; nothing is signed
 * @throws {NodeFailedError} when the agent's own node fails
 * @throws {ApiError} when the service refuses
 */
export async function prepareGasless(
  agent: Agent,
  own: Own,
  first: PrepareSetupResponse,
  deposit: Omit<GaslessSetupRequest, 'permitSignature' | 'authorization'>,
): Promise<{ prepared: PrepareExecutionResponse; gaslessSetup: EnvelopeExpectations['gaslessSetup'] }> {
  const { client, signer, onProgress } = agent;
  const verified = await verifyPreparedGasless(agent, own, first);
  onProgress?.({ type: 'gasless-setup-verified', verified });
  const signatures = await signGaslessSetup(signer, verified);
  const prepared = await client.gaslessSetup({ ...deposit, ...signatures });
  const { authorization, permit } = verified;
  const gaslessSetup = { authorizationNonce: authorization?.nonce, permitNonce: permit?.message.nonce };
  return { prepared, gaslessSetup };
}
