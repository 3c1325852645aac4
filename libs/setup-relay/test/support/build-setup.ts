import type { SetupRelayRequest, SetupTicket } from '@yield-vault/protocol';
import { encodeInitializeAndApprove } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { canonical, chainFacts, localContracts, walletContracts } from '@yield-vault/contracts';
import { keccak256, parseGwei, type Address, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { SetupChain } from '../../src/ports.js';

export const chainId = 8453;
export const allowanceUsdc = 50_000_000n;
export const owner = testAccount('owner');

/** The call data of a setup for a paymaster that needs an allowance. */
export const allowing = (wallet: Address): Hex =>
  encodeInitializeAndApprove(wallet, {
    token: chainFacts(chainId).usdc.address,
    spender: localContracts(chainId).paymaster,
    amount: allowanceUsdc,
  });

/** Build a chain on which setups are sent. */
export const buildChain = (
  rpc: unknown,
  paymaster: SetupChain['paymaster'] = { kind: 'own' },
): SetupChain => ({
  key: 'base',
  chainId,
  relayMode: 'chain',
  confirmations: 0,
  entryPoint: canonical.entryPointV08,
  contracts: localContracts(chainId),
  paymaster,
  usdc: chainFacts(chainId).usdc.address,
  rpc: rpc as SetupChain['rpc'],
});

/** Parts of a setup request; a test gives only the parts that it is about. */
export interface SetupParts {
  readonly wallet?: PrivateKeyAccount;
  readonly nowMs?: number;
  readonly ticket?: Partial<SetupTicket>;
  readonly type?: 'eip1559' | 'eip7702';
  /** Of the ticket and the transaction; a bare delegation by default. */
  readonly initCalldata?: Hex;
  readonly transaction?: {
    readonly chainId?: number;
    readonly nonce?: number;
    readonly to?: Address;
    readonly value?: bigint;
    readonly data?: Hex;
    readonly gas?: bigint;
    readonly maxFeePerGas?: bigint;
  };
  readonly authorization?: {
    readonly chainId?: number;
    readonly address?: Address;
    readonly nonce?: number;
    readonly signer?: PrivateKeyAccount;
  };
  readonly authorizations?: number;
  readonly signer?: PrivateKeyAccount;
  readonly confirmations?: number;
}

/** Build a setup-relay request that passes every check of a wallet that was never set up. */
export async function buildSetup(parts: SetupParts = {}): Promise<SetupRelayRequest> {
  const { wallet = owner, ticket, transaction, authorization, type = 'eip7702', initCalldata = '0x' } = parts;
  const nonce = transaction?.nonce ?? 0;
  const base = {
    chainId,
    nonce,
    to: wallet.address,
    data: initCalldata,
    gas: 500_000n,
    maxFeePerGas: parseGwei('4'),
    maxPriorityFeePerGas: 1n,
    ...transaction,
  };
  const signed = await (authorization?.signer ?? wallet).signAuthorization({
    chainId: authorization?.chainId ?? chainId,
    address: authorization?.address ?? walletContracts.account,
    nonce: authorization?.nonce ?? nonce + 1,
  });
  const signer = parts.signer ?? wallet;
  return {
    setupTicket: {
      version: 1,
      walletAddress: wallet.address,
      chainId,
      implementation: walletContracts.account,
      initCalldataHash: keccak256(initCalldata),
      setupType: 'full',
      expiresAt: new Date((parts.nowMs ?? Date.now()) + 10 * 60_000).toISOString(),
      ...ticket,
    },
    signedRawTx:
      type === 'eip1559'
        ? await signer.signTransaction({ ...base, type })
        : await signer.signTransaction({
            ...base,
            type,
            authorizationList: Array.from({ length: parts.authorizations ?? 1 }, () => signed),
          }),
    confirmations: parts.confirmations ?? 1,
  };
}
