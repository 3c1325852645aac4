import type { GasPrice } from '@yield-vault/chains';
import {
  formatAmount,
  setupTicketId,
  type PrepareSetupResponse,
  type SetupBlock,
  type SetupTicket,
  type SetupType,
} from '@yield-vault/protocol';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { keccak256 } from 'viem';
import { usdcDecimals } from './balances.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest } from './types.js';

// A full setup used 75k gas, the authorization's 25k included. Restoring both modules fits too.
const setupGasLimit = 150_000n;

/**
 * Build the setup that a wallet needs, with its ticket. Nothing is stored: setup-relay computes the same again.
 *
 * @param fees - the present fees of a transaction
 * @param nowMs - milliseconds since 1970
 */
export function buildSetup(
  { chain, wallet }: Pick<CheckedRequest, 'chain' | 'wallet'>,
  setupType: SetupType,
  options: Pick<IntentBuilderOptions, 'ticketLifetimeSeconds' | 'paymasterAllowanceUsdc'>,
  fees: GasPrice,
  nowMs: number,
): Pick<
  PrepareSetupResponse,
  | 'intentId'
  | 'needsSetup'
  | 'setupType'
  | 'setup'
  | 'setupTicket'
  | 'gaslessSetup'
  | 'execution'
  | 'intentEnvelope'
> {
  const { account, paymaster } = chain.contracts;
  const allowance = options.paymasterAllowanceUsdc;
  const initCalldata = encodeInitializeAccount({ token: chain.usdc, paymaster, allowance });

  const setup: SetupBlock = {
    setupType,
    description: describe(setupType, chain.name, allowance),
    authorization: setupType === 'full' ? { contractAddress: account, chainId: chain.chainId } : null,
    initCalldata,
    to: wallet,
    gas: {
      gasLimit: setupGasLimit.toString(),
      // The base fee may rise by an eighth per block until the ticket expires.
      maxFeePerGas: (fees.maxFeePerGas * 2n).toString(),
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    },
  };
  const setupTicket: SetupTicket = {
    version: 1,
    walletAddress: wallet,
    chainId: chain.chainId,
    implementation: account,
    initCalldataHash: keccak256(initCalldata),
    setupType,
    expiresAt: new Date(nowMs + options.ticketLifetimeSeconds * 1000).toISOString(),
  };
  return {
    intentId: setupTicketId(setupTicket),
    needsSetup: true,
    setupType,
    setup,
    setupTicket,
    gaslessSetup: null,
    execution: null,
    intentEnvelope: null,
  };
}

function describe(setupType: SetupType, chainName: string, allowance: bigint): string {
  const amount = formatAmount(allowance, usdcDecimals);
  const gas = allowance > 0n ? ` and allows the paymaster up to ${amount} USDC for gas` : '';
  return setupType === 'full'
    ? `Sign a type-4 transaction to yourself on ${chainName} that delegates to the account implementation${gas}.`
    : `Sign a type-2 transaction to yourself on ${chainName} that restores the validator and executor modules${gas}.`;
}
