import { chainFacts } from '@yield-vault/contracts';
import type { ExecuteRequest } from '@yield-vault/protocol';
import { encodeAccountCall } from '@yield-vault/smart-account';
import { createWalletClient, http, publicActions, zeroAddress, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { setBalance } from '../deal.js';
import { forgeIntent, type Forgery } from '../forge-intent.js';
import { signedDeposit } from '../funded-agent.js';
import { depositOf } from './prepare-rows.js';
import type { Place, Request, Row } from './types.js';

const stranger: Address = '0x3000000000000000000000000000000000000003';
const otherHash: Hex = `0x${'12'.repeat(32)}`;
const usdc = chainFacts(8453).usdc.address;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const rubbish: Hex = '0x12345678';

type Signed = Awaited<ReturnType<typeof signedDeposit>>;
type Change = (signed: Signed, place: Place) => object | Promise<object>;

const execute =
  (change: Change) =>
  async (place: Place): Promise<Request> => {
    const { api, agent, vault } = place;
    const signed = await signedDeposit(api, agent, vault.vaultId, '1');
    const body = await change(signed, place);
    return { agent, body, meant: signed, wanted: depositOf(place, agent), path: '/v1/yield/execute' };
  };
const refused = (reason: string, name: string, change: Change): Row => ({
  ...{ code: 'TRANSACTION_VALIDATION_FAILED', reason, name, make: execute(change) },
});
const envelope =
  (change: (envelope: Signed['intentEnvelope']) => object): Change =>
  (signed) => ({
    ...signed,
    intentEnvelope: { ...signed.intentEnvelope, ...change(signed.intentEnvelope) },
  });
const operation = (field: string, value: string) =>
  envelope(({ userOps: [item] }) => ({
    userOps: [{ userOperation: { ...item!.userOperation, [field]: value } }],
  }));
/** Change it, recompute what depends on it, and sign it. */
const forged =
  (forgery: Forgery | ((place: Place) => Forgery), signer?: Hex): Change =>
  ({ intentEnvelope }, place) =>
    forgeIntent(
      intentEnvelope,
      signer ?? place.agent.privateKey,
      typeof forgery === 'function' ? forgery(place) : forgery,
    );
const depositInto = (vault: Address, minShares = 1n): Forgery => {
  const hook = { hook: 'deposit', vault, token: usdc, amount: 1_000_000n, minShares } as const;
  return { operation: { callData: encodeAccountCall([hook]) } };
};
const greedy = forged(({ vault }) => depositInto(vault.vaultAddress, 2n ** 200n));
/** After the signature, something else happens. */
const after =
  (happens: (place: Place) => Promise<unknown>): Change =>
  async (signed, place) => {
    await happens(place);
    return signed;
  };
const anotherDeposit = after(async ({ api, agent, vault }) =>
  api.execute(await signedDeposit(api, agent, vault.vaultId, '2')),
);
const noUsdc = after(({ agent, chains }) =>
  setBalance(chains.base.walletRpcUrl, usdc, agent.address, 10_000n),
);
/** The wallet itself revokes it, past the service. */
const noDelegation = after(async ({ agent, chains }) => {
  const transport = http(chains.base.walletRpcUrl);
  const account = privateKeyToAccount(agent.privateKey);
  const client = createWalletClient({ account, chain: base, transport }).extend(publicActions);
  const authorization = { contractAddress: zeroAddress, executor: 'self', chainId: 8453 } as const;
  const authorizationList = [await client.signAuthorization(authorization)];
  const hash = await client.sendTransaction({ to: agent.address, authorizationList });
  await client.waitForTransactionReceipt({ hash });
});

const preflight = (name: string, change: Change, reason?: string): Row => ({
  ...{ code: 'PREFLIGHT_SIMULATION_FAILED', name, make: execute(change), ...(reason && { reason }) },
});
const submission = (name: string, change: Change, reason?: string): Row => ({
  ...{ code: 'TRANSACTION_SUBMISSION_FAILED', on: 'forked', isSent: true, name },
  ...{ make: execute(change), ...(reason && { reason }) },
});

// Every rule with all its cases is in libs/execution-relay/src/intent.spec.ts; here is one case of each.
export const executeRows: readonly Row[] = [
  refused('INTENT_ID_MISMATCH', 'intentId of the body', (signed) => ({ ...signed, intentId: otherHash })),
  refused('MERKLE_ROOT_MISMATCH', 'other call data under the same root', operation('callData', '0x')),
  refused(
    'INVALID_PROOF',
    'a proof that leads elsewhere',
    envelope(() => ({ proofs: [[otherHash]] })),
  ),
  refused('INVALID_SIGNATURE', 'another signer', forged({}, generatePrivateKey())),
  refused('INTENT_EXPIRED', 'an expired intent', forged({ expiry: inSeconds(-5) })),
  refused(
    'INTENT_NOT_YET_VALID',
    'an intent of the future',
    forged(() => ({ validAfter: inSeconds(300) })),
  ),
  refused(
    'INVALID_EXPIRY',
    'an expiry above 48 bits',
    envelope(() => ({ expiry: 2 ** 48 })),
  ),
  refused('CHAIN_NOT_ACTIVE', 'an inactive chain', forged({ chainId: 10 })),
  refused('WRONG_ENTRY_POINT', 'another entry point', forged({ entryPoint: stranger })),
  refused(
    'SENDER_MISMATCH',
    'another sender of the envelope',
    envelope(() => ({ sender: stranger })),
  ),
  refused(
    'SIGNING_MISMATCH',
    'another verifying contract',
    envelope(({ signing }) => ({
      signing: { ...signing, domain: { ...signing.domain, verifyingContract: stranger } },
    })),
  ),
  refused('WRONG_NONCE_KEY', 'another nonce key', forged({ operation: { nonce: 0n } })),
  refused('WRONG_PAYMASTER', 'another paymaster', forged({ operation: { paymaster: stranger } })),
  refused('CALLDATA_NOT_ALLOWED', 'other call data', forged({ operation: { callData: rubbish } })),
  refused('UNLISTED_VAULT', 'a vault that nobody knows', forged(depositInto(stranger))),
  refused(
    'UNSUPPORTED_ENVELOPE',
    'two operations',
    envelope(({ userOps }) => ({ userOps: [...userOps, ...userOps] })),
  ),

  preflight('the USDC is gone', noUsdc),
  preflight('another operation used the nonce', anotherDeposit, 'AA25'),
  preflight('the vault gives too few shares', greedy),

  submission('another operation used the nonce', anotherDeposit, 'AA25'),
  submission('the delegation is gone', noDelegation, 'AA20'),
  submission('the vault gives too few shares', greedy),

  {
    ...{ code: 'NOT_FOUND', name: 'an intent that was never executed' },
    make: async (place) => {
      const request = await execute((signed) => signed)(place);
      const { merkleRoot } = (request.meant as ExecuteRequest).intentEnvelope;
      const { agent, meant } = request;
      return {
        agent,
        meant,
        method: 'GET',
        path: `/v1/yield/intents/${merkleRoot}`,
        goal: { state: 'confirmed' },
      };
    },
  },
];
