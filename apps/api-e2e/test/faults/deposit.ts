import { setTimeout as sleep } from 'node:timers/promises';
import { setUpWallet } from '@yield-vault/devnet';
import {
  fromWireUserOperation,
  userOperationHash,
  type Eip7702Auth,
  type ExecuteRequest,
} from '@yield-vault/protocol';
import { privateKeyToAccount } from 'viem/accounts';
import type { ApiClient, ErrorBody } from '../support/api-client.js';
import { devnetChains } from '../support/devnet.js';
import { fundedAgent, signedDeposit } from '../support/funded-agent.js';
import {
  completeGasless,
  createGaslessWallet,
  signGasless,
  signGaslessIntent,
} from '../support/gasless-wallet.js';
import type { Target } from './kill-points.js';

/** What a caller knows after a response: it is done, it must call again, or it must prepare again. */
export type Told = 'done' | 'call again' | 'prepare again';

/** One intent of a deposit, and what its caller was told. */
export interface Attempt extends Target {
  readonly request: ExecuteRequest;
  /** Unix seconds. */
  readonly expiry: number;
  told: Told;
  /** Codes of the errors. */
  readonly codes: Set<string>;
}

/** A wallet that deposits. */
export interface Depositor {
  readonly address: string;
  /** Prepare and sign the next intent; another amount makes it another one. */
  sign(api: ApiClient, amount: string): Promise<ExecuteRequest>;
}

/** Make a wallet for a vault. */
export type CreateDepositor = (vaultId: string) => Promise<Depositor>;

/** A wallet that is set up. */
export const createDepositor: CreateDepositor = async (vaultId) => {
  const agent = await fundedAgent();
  await setUpWallet(devnetChains().base, privateKeyToAccount(agent.privateKey));
  return { address: agent.address, sign: (api, amount) => signedDeposit(api, agent, vaultId, amount) };
};

/** A wallet that is set up within its deposit. */
export const createGaslessDepositor: CreateDepositor = async (vaultId) => {
  const wallet = await createGaslessWallet(devnetChains().base, vaultId);
  return {
    address: wallet.wallet.address,
    sign: async (api, amount) => {
      const wanted = { ...wallet, deposit: { ...wallet.deposit, amount } };
      const prepared = await api.prepare(wanted.deposit);
      const completed = prepared.needsSetup
        ? await completeGasless(api, await signGasless(wanted, prepared.gaslessSetup!))
        : prepared;
      return signGaslessIntent(wanted, completed);
    },
  };
};

/** A deposit that its caller wants once. */
export interface Deposit {
  /** The point or the fault that it meets. */
  readonly name: string;
  readonly depositor: Depositor;
  /** Whether the caller goes away after the first response, so that the service is on its own. */
  readonly isAbandoned: boolean;
  readonly attempts: Attempt[];
}

const pauseMs = 2_000;

/** Note a signed intent that nobody has executed yet. */
export function attemptOf(request: ExecuteRequest): Attempt {
  const { userOps, entryPoint, chainId, merkleRoot, expiry } = request.intentEnvelope;
  const { userOperation, eip7702Auth } = userOps[0]!;
  const delegate = (eip7702Auth as Eip7702Auth | null | undefined)?.address;
  return {
    request,
    expiry,
    intentId: merkleRoot.toLowerCase(),
    wallet: userOperation.sender.toLowerCase(),
    userOpHash: userOperationHash(fromWireUserOperation(userOperation), entryPoint!, chainId, delegate),
    told: 'call again',
    codes: new Set(),
  };
}

/** Prepare the next intent of a deposit, at any server that responds. */
export async function prepareAttempt(
  { depositor, attempts }: Deposit,
  apis: () => readonly ApiClient[],
): Promise<Attempt> {
  for (let tries = 1; ; tries++) {
    try {
      const up = apis();
      const attempt = attemptOf(await depositor.sign(up[tries % up.length]!, String(attempts.length + 1)));
      attempts.push(attempt);
      return attempt;
    } catch (error) {
      // A server was killed meanwhile, or its bundler looks down.
      if (tries > 60) throw error;
      await sleep(1_000);
    }
  }
}

/** Call execute once and note what the caller learns. */
export async function executeOnce(attempt: Attempt, api: ApiClient): Promise<Told> {
  try {
    const { status, body } = await api.call('POST', '/v1/yield/execute', attempt.request);
    const { code, retryable } = body as ErrorBody;
    if (status !== 200) attempt.codes.add(code);
    // What one call learned, another one cannot take back.
    if (attempt.told !== 'prepare again')
      attempt.told = status === 200 ? 'done' : retryable ? 'call again' : 'prepare again';
  } catch (error) {
    // fetch throws it when the server dies.
    if ((error as Error).name !== 'TypeError') throw error;
  }
  return attempt.told;
}

/** Act as a caller does until the deposit is done: call again, or prepare again, as the responses say. */
export async function pursue(deposit: Deposit, apis: () => readonly ApiClient[]): Promise<void> {
  for (let calls = 0; !deposit.isAbandoned; calls++) {
    const attempt = deposit.attempts.at(-1)!;
    if (attempt.told === 'done' || Date.now() / 1000 > attempt.expiry + 60) return;
    if (attempt.told === 'prepare again') {
      if (deposit.attempts.length > 1) return;
      await prepareAttempt(deposit, apis);
      continue;
    }
    const [api] = apis().slice(calls % apis().length);
    if (api) await executeOnce(attempt, api);
    if (attempt.told === 'call again') await sleep(pauseMs);
  }
}
