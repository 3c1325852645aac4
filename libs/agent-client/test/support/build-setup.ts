import {
  setupTicketId,
  type PrepareSetupResponse,
  type SetupTicket,
  type SetupType,
} from '@yield-vault/protocol';
import {
  encodeInitializeAccount,
  encodeInitializeAndApprove,
  type ApproveHook,
} from '@yield-vault/smart-account';
import { keccak256 } from 'viem';
import { local } from './book.js';
import { now, wallet } from './build-prepared.js';

/** Parts of a setup; a test gives only the parts that it is about. */
export interface SetupParts {
  readonly setupType?: SetupType;
  readonly deployment?: typeof local;
  readonly approval?: Partial<ApproveHook>;
  readonly setup?: Partial<PrepareSetupResponse['setup']>;
  readonly ticket?: Partial<SetupTicket>;
}

/** Build the response of prepare that requires a setup. It stays consistent under changes. */
export function buildSetupResponse(parts: SetupParts = {}): PrepareSetupResponse {
  const { setupType = 'full', deployment = local } = parts;
  const { account, usdc, paymaster, chainId } = deployment;
  const setup: PrepareSetupResponse['setup'] = {
    setupType,
    description: 'Sign a type-4 transaction to yourself.',
    authorization: setupType === 'full' ? { contractAddress: account, chainId } : null,
    initCalldata:
      paymaster.kind !== 'own' || parts.approval
        ? encodeInitializeAndApprove(wallet, {
            token: usdc,
            spender: paymaster.address,
            amount: 100_000_000n,
            ...parts.approval,
          })
        : setupType === 'full'
          ? '0x'
          : encodeInitializeAccount(),
    to: wallet,
    gas: { gasLimit: '150000', maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000' },
    ...parts.setup,
  };
  const setupTicket: SetupTicket = {
    version: 1,
    walletAddress: wallet,
    chainId,
    implementation: account,
    initCalldataHash: keccak256(setup.initCalldata),
    setupType,
    expiresAt: new Date((now + 900) * 1000).toISOString(),
    ...parts.ticket,
  };
  return {
    operation: 'deposit',
    intentId: setupTicketId(setupTicket),
    needsSetup: true,
    setupType,
    strategy: {
      vaultName: 'Steady USDC',
      expectedAPY: 5,
      riskScore: 'low',
      apyNow: 5,
      riskLevel: 'low',
    },
    setup,
    setupTicket,
    gaslessSetup: null,
    costs: null,
    execution: null,
    intentEnvelope: null,
  };
}
