import type { Address } from 'viem';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { describeEnvelope } from '../verify/describe-envelope.js';
import type { BookToken, VerifiedEnvelope } from '../verify/types.js';
import { verifyEnvelope } from '../verify/verify-envelope.js';
import { accepted } from './accepted.js';
import { expectedOperation } from './expected-operation.js';
import type { Node } from './node.js';
import type { Agent, Order } from './types.js';

const defaultMaxSlippageBps = 100;
const defaultMaxGasUsdc = 10_000_000n;

/** An answer of prepare, of which nothing has been looked at. */
interface Unverified {
  readonly execution?: { readonly intentEnvelope?: unknown } | null;
  readonly target?: { readonly vaultId?: string } | null;
}

/**
 * Verify that a prepared envelope is the order and nothing else, with minimums and nonce from the agent's own node:
 * of all envelopes that the service may ask to sign until then, only one can be included.
 *
 * @throws {VerificationError} When it is not.
 */
export async function verifyExecution(
  agent: Agent,
  order: Order,
  { wallet, token, node }: { readonly wallet: Address; readonly token: BookToken; readonly node: Node },
  { execution, target }: Unverified,
): Promise<VerifiedEnvelope> {
  const { chain, addressBook = agentAddressBook, maxEthUsd, maxGasUsdc = defaultMaxGasUsdc } = agent;
  const { maxSlippageBps = defaultMaxSlippageBps } = agent;
  const intentEnvelope = execution?.intentEnvelope;
  const { deployment } = accepted(describeEnvelope(intentEnvelope, { addressBook }));
  const [operation, nonceSequence] = await Promise.all([
    expectedOperation(order, { wallet, token, maxSlippageBps, targetVaultId: target?.vaultId }, node),
    node.nonceSequenceOf(wallet, deployment),
  ]);
  const expectations = { wallet, chain, operation, maxGasUsdc, maxEthUsd, nonceSequence };
  const vaults = operation.kind === 'rebalance' ? [order.vault, operation.to].flat() : [order.vault];
  const shares = await Promise.all(vaults.map((vault) => node.shareTokenOf(vault, token.chainId)));
  const named = { ...addressBook, tokens: [...addressBook.tokens, ...shares] };
  return accepted(verifyEnvelope(intentEnvelope, expectations, { addressBook: named }));
}
