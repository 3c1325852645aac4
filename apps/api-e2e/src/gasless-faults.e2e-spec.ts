import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';
import { fundWallet, startBundler, type BundlerProcess } from '@yield-vault/devnet';
import {
  fromWireUserOperation,
  userOperationHash,
  type Eip7702Auth,
  type ExecuteRequest,
  type GaslessSetupRequest,
} from '@yield-vault/protocol';
import { Wallet } from 'ethers';
import { createPublicClient, http, type Address } from 'viem';
import { executeOnce, type Attempt } from '../test/faults/deposit.js';
import { killGroups, killPoints } from '../test/faults/kill-points.js';
import { startProxiedServer, type ProxiedServer } from '../test/faults/server-pair.js';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { usdcVault } from '../test/support/funded-agent.js';
import {
  completeGasless,
  createGaslessWallet,
  prepareGasless,
  signGasless,
  signGaslessIntent,
  type GaslessWallet,
} from '../test/support/gasless-wallet.js';
import { startServer, type Server } from '../test/support/start-server.js';

// A held call ends by its deadline, and its intent goes on. On a busy machine a point may be reached too late.
const reachDeadlineMs = 9_000;
const killTries = 5;
// faults.e2e-spec kills at every point; the first group has those around the send, which takes the authorization along.
const groups = process.env['FAULT_ROUNDS'] ? killGroups : killGroups.slice(0, 1);

/** Outcomes of the operations of a wallet that the chain included. */
async function included(sender: string): Promise<readonly boolean[]> {
  const { rpcUrl, entryPoint } = devnetChains().base;
  const events = await createPublicClient({ transport: http(rpcUrl) }).getContractEvents({
    ...{ address: entryPoint, abi: entryPointV08Abi, eventName: 'UserOperationEvent' },
    ...{ args: { sender: sender as Address }, fromBlock: 'earliest', strict: true },
  });
  return events.map(({ args }) => args.success);
}

/** Check that a wallet deposited once, needs no setup, and never had ether. */
async function requireOneDeposit(api: ApiClient, agent: GaslessWallet): Promise<void> {
  const { wallet, provider, deposit } = agent;
  expect(await included(wallet.address)).toEqual([true]);
  expect(await api.prepare({ ...deposit, amount: '1' })).toMatchObject({ needsSetup: false });
  expect(await provider.getBalance(wallet.address)).toBe(0n);
}

function attemptOf({ wallet }: GaslessWallet, request: ExecuteRequest): Attempt {
  const { userOps, entryPoint, chainId, merkleRoot, expiry } = request.intentEnvelope;
  const { userOperation, eip7702Auth } = userOps[0]!;
  const delegate = (eip7702Auth as Eip7702Auth | null | undefined)?.address;
  const userOpHash = userOperationHash(fromWireUserOperation(userOperation), entryPoint!, chainId, delegate);
  return {
    ...{ request, expiry, userOpHash, intentId: merkleRoot.toLowerCase() },
    ...{ wallet: wallet.address.toLowerCase(), told: 'call again', codes: new Set() },
  };
}

/** Do the next step as often as the responses ask for it, then what they ask for instead. */
async function pursue(api: ApiClient, agent: GaslessWallet, first: Attempt): Promise<void> {
  let attempt = first;
  for (let tries = 0; tries < 30; tries++) {
    const told = await executeOnce(attempt, api);
    if (told === 'done') return;
    if (told === 'prepare again') {
      const prepared = await api.prepare(agent.deposit);
      const completed = prepared.needsSetup
        ? await completeGasless(api, await signGasless(agent, prepared.gaslessSetup!))
        : prepared;
      attempt = attemptOf(agent, await signGaslessIntent(agent, completed));
    } else await sleep(1_000);
  }
  throw new Error(`The wallet is stranded: ${[...attempt.codes].join(', ')}`);
}

if (!isPostgresReachable()) {
  it('needs PostgreSQL, which does not run here', () => {
    process.stderr.write(`PostgreSQL is not reachable at ${testPostgresUrl}: kills are not tested.\n`);
    expect(isPostgresReachable()).toBe(false);
  });
} else {
  describe('kills between the steps of a gasless setup', () => {
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let server: ProxiedServer;
    let vaultId: string;

    beforeAll(async () => {
      postgres = await createTemporaryPostgres();
      server = await startProxiedServer(postgres.url);
      ({ vaultId } = await usdcVault(server.api));
    }, 120_000);
    afterAll(async () => {
      await server?.stop();
      await postgres?.drop();
    });

    const restart = async () => {
      await server.kill();
      await server.ready();
    };

    /** Kill after prepare, after gasless-setup, and at a point of execute; returns the points that were not reached. */
    async function meetKill(group: (typeof killGroups)[number]) {
      const { api } = server;
      const agents: GaslessWallet[] = [];
      // One mint at a time: all come from one account.
      for (const _ of group) agents.push(await createGaslessWallet(devnetChains().base, vaultId));
      const prepared = await Promise.all(agents.map((agent) => prepareGasless(api, agent)));
      await restart();
      const completed = await Promise.all(
        agents.map(async (agent, index) => {
          const request = await signGasless(agent, prepared[index]!.gaslessSetup);
          const first = await completeGasless(api, request);
          expect(first).toMatchObject({ needsSetup: false });
          return { request, first };
        }),
      );
      await restart();
      for (const agent of agents) expect(await included(agent.wallet.address)).toEqual([]);

      const killed = new AbortController();
      const missing = new Set(group.map(([name]) => name));
      const attempts = await Promise.all(
        agents.map(async (agent, index) =>
          attemptOf(agent, await signGaslessIntent(agent, completed[index]!.first)),
        ),
      );
      const reached = group.map(([name, point], index) =>
        point(server.proxies, attempts[index]!, killed.signal).then(() => missing.delete(name)),
      );
      const executing = attempts.map(async (attempt) => {
        while (!killed.signal.aborted && (await executeOnce(attempt, api)) !== 'prepare again')
          await sleep(200);
      });
      await Promise.race([Promise.all(reached), sleep(reachDeadlineMs)]);
      await server.kill();
      killed.abort();
      await Promise.all(executing);
      await server.ready();
      await Promise.all(attempts.map((attempt, index) => pursue(api, agents[index]!, attempt)));
      for (const agent of agents) await requireOneDeposit(api, agent);
      return group.filter(([name]) => missing.has(name));
    }

    it.each(groups.map((group) => [group.map(([name]) => name).join(', ')]))(
      'behavior: one inclusion, and the wallet is in: %s',
      async (names) => {
        let missing: (typeof killGroups)[number] = Object.entries(killPoints).filter(([name]) =>
          names.split(', ').includes(name),
        );
        for (let tries = 0; missing.length > 0 && tries < killTries; tries++)
          missing = await meetKill(missing);
        expect(missing).toEqual([]);
      },
      300_000,
    );
  });
}

describe('an authorization that somebody else included', () => {
  let home: string;
  let bundler: BundlerProcess;
  let server: Server;
  let api: ApiClient;
  let agent: GaslessWallet;
  let request: GaslessSetupRequest;
  let signed: ExecuteRequest;

  // Each test has a bundler of its own: Alto 0.0.20 ends itself once it has included such an operation.
  beforeEach(async () => {
    const { base } = devnetChains();
    home = await mkdtemp(join(tmpdir(), 'api-e2e-bundler-'));
    bundler = await startBundler({ rpcUrl: base.rpcUrl, entryPoint: base.entryPoint, home });
    server = await startServer({
      backfillHours: 30,
      upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
    });
    api = await createApiClient(server.url);
    agent = await createGaslessWallet(base, (await usdcVault(api)).vaultId);
    request = await signGasless(agent, (await prepareGasless(api, agent)).gaslessSetup);
    signed = await signGaslessIntent(agent, await completeGasless(api, request));
  }, 90_000);
  afterEach(async () => {
    await server?.stop();
    await bundler?.kill();
    await rm(home, { recursive: true, force: true });
  });

  /** Include the authorization in a transaction of somebody else. */
  async function include(data: string): Promise<number | null> {
    const { provider } = agent;
    const { base } = devnetChains();
    const stranger = new Wallet(Wallet.createRandom().privateKey, provider);
    await fundWallet(base, stranger.address as Address, { ethWei: 10n ** 17n });
    const { chainId, address, nonce, yParity, r, s } = request.authorization!;
    const authorizationList = [{ chainId, address, nonce, signature: { yParity: yParity as 0 | 1, r, s } }];
    const to = base.entryPoint;
    const sent = await stranger.sendTransaction({ type: 4, to, data, gasLimit: 500_000, authorizationList });
    const receipt = await provider.waitForTransaction(sent.hash).catch(() => null);
    const { status } = receipt ?? (await provider.getTransactionReceipt(sent.hash))!;
    expect(await provider.getCode(agent.wallet.address)).toMatch(/^0xef0100/);
    return status;
  }
  const includeAlone = () => include('0x70a08231' + request.agentAddress.slice(2).padStart(64, '0'));
  // The entry point knows no such function, so the bundle reverts; EIP-7702 keeps the delegation.
  const includeInRevertedBundle = () => include('0x12345678');

  it.each([
    ['alone', includeAlone, 1],
    ['in a bundle that reverted', includeInRevertedBundle, 0],
  ] as const)('behavior: the signed operation still succeeds: %s', async (_, act, status) => {
    expect(await act()).toBe(status);
    await pursue(api, agent, attemptOf(agent, signed));
    expect(await included(agent.wallet.address)).toEqual([true]);
    expect(await agent.provider.getBalance(agent.wallet.address)).toBe(0n);
  });

  it.each([
    ['alone', includeAlone, 1],
    ['in a bundle that reverted', includeInRevertedBundle, 0],
  ] as const)('behavior: a new setup needs the permit alone: %s', async (_, act, status) => {
    expect(await act()).toBe(status);
    const { setupType, gaslessSetup } = await prepareGasless(api, agent);
    expect([setupType, gaslessSetup.authorization]).toEqual(['modules', null]);
    const completed = await completeGasless(api, await signGasless(agent, gaslessSetup));
    const [item] = completed.execution.intentEnvelope.userOps;
    expect(item!.userOperation.initCode).toBe('0x');
    expect(item!.eip7702Auth ?? null).toBeNull();
    await pursue(api, agent, attemptOf(agent, await signGaslessIntent(agent, completed)));
    await requireOneDeposit(api, agent);
  });
});
