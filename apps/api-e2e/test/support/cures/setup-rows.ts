import type { PrepareSetupResponse } from '@yield-vault/protocol';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { keccak256, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { prepareSetup, setUp, type FundedAgent } from '../funded-agent.js';
import { depositOf } from './prepare-rows.js';
import type { Place, Request, Row } from './types.js';

const stranger: Address = '0x3000000000000000000000000000000000000003';
const chainId = 8453;
const restoring = encodeInitializeAccount();

interface Changes {
  readonly chainId?: number;
  readonly nonce?: number;
  readonly to?: Address;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly signer?: Hex;
  readonly type?: 'eip1559';
  readonly implementation?: Address;
}

/** Sign the setup of prepare with some changes. */
async function signChanged(
  { privateKey }: FundedAgent,
  { setup }: PrepareSetupResponse,
  { signer = privateKey, type, implementation, ...changes }: Changes,
): Promise<Hex> {
  const { gasLimit, ...fees } = setup.gas;
  const [maxFeePerGas, maxPriorityFeePerGas] = [fees.maxFeePerGas, fees.maxPriorityFeePerGas].map(BigInt);
  const call = {
    ...{ chainId, nonce: 0, to: setup.to, data: setup.initCalldata, gas: BigInt(gasLimit) },
    ...{ maxFeePerGas: maxFeePerGas!, maxPriorityFeePerGas: maxPriorityFeePerGas!, ...changes },
  };
  const account = privateKeyToAccount(signer);
  if (type === 'eip1559') return account.signTransaction({ ...call, type });
  const { contractAddress } = setup.authorization!;
  const authorization = await privateKeyToAccount(privateKey).signAuthorization({
    ...{ chainId, contractAddress: implementation ?? contractAddress, nonce: call.nonce + 1 },
  });
  return account.signTransaction({ ...call, type: 'eip7702', authorizationList: [authorization] });
}

const setup =
  (change: { readonly ticket?: object; readonly transaction?: Changes; readonly confirmations?: number }) =>
  async (place: Place): Promise<Request> => {
    const agent = await place.fresh();
    const prepared = await prepareSetup(place.api, agent, place.vault.vaultId);
    return {
      ...{ agent, prepared, path: '/v1/yield/setup-relay', wanted: depositOf(place, agent) },
      body: {
        setupTicket: { ...prepared.setupTicket, ...change.ticket },
        signedRawTx: await signChanged(agent, prepared, change.transaction ?? {}),
        confirmations: change.confirmations ?? 1,
      },
    };
  };
const ticket = (reason: string, change: object): Row => ({
  ...{ code: 'SETUP_TICKET_REJECTED', reason, name: JSON.stringify(change), make: setup({ ticket: change }) },
});
const transaction = (reason: string, name: string, change: Changes): Row => ({
  ...{ code: 'SETUP_TRANSACTION_REJECTED', reason, name, make: setup({ transaction: change }) },
});
// Enough to be included, too little for the call.
const gasThatReverts = 46_010n;

// Every check with all its cases is in libs/setup-relay/src/setup-checks.spec.ts; here is one case of each.
export const setupRows: readonly Row[] = [
  ticket('ticket-not-expired', { expiresAt: '2026-01-01T00:00:00.000Z' }),
  ticket('chain-active', { chainId: 10 }),
  ticket('implementation-match', { implementation: stranger }),
  ticket('calldata-hash-match', { initCalldataHash: `0x${'12'.repeat(32)}` }),
  {
    ...{ code: 'SETUP_TICKET_REJECTED', reason: 'tx-type-valid', name: 'a setup type that was changed' },
    make: setup({
      ticket: { setupType: 'modules', initCalldataHash: keccak256(restoring) },
      transaction: { data: restoring },
    }),
  },
  transaction('tx-type-valid', 'type 2', { type: 'eip1559' }),
  transaction('chain-id-match', 'another chain', { chainId: 1 }),
  transaction('self-call', 'another target', { to: stranger }),
  transaction('calldata-hash-match', 'other call data', { data: '0x12345678' }),
  transaction('auth-list-valid', 'another implementation', { implementation: stranger }),
  transaction('signer-match', 'another signer', { signer: generatePrivateKey() }),
  transaction('NONCE_TOO_HIGH', 'a nonce of the future', { nonce: 5 }),
  transaction('GAS_LIMIT_TOO_LOW', 'too little gas', { gas: 30_000n }),
  transaction('FEE_TOO_LOW', 'a fee below the base fee', { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }),
  transaction('INSUFFICIENT_FUNDS', 'too little ether', { maxFeePerGas: 10n ** 12n }),
  {
    ...{ code: 'SETUP_TRANSACTION_REVERTED', name: 'too little gas for the call', isSent: true },
    make: setup({ transaction: { gas: gasThatReverts } }),
  },
  {
    ...{ code: 'TRANSACTION_PENDING', name: 'more confirmations than there are blocks', isSent: true },
    make: setup({ confirmations: 10 }),
  },
  {
    ...{ code: 'ALREADY_SET_UP', name: 'a setup that is signed again' },
    make: async (place) => {
      const request = await setup({ transaction: { nonce: 2 } })(place);
      await setUp(place.api, request.agent, place.vault.vaultId);
      return request;
    },
  },
];
