import { chainFacts } from '@yield-vault/contracts';
import { fundWallet } from '@yield-vault/devnet';
import {
  formatAmount,
  vaultIdOf,
  type PrepareExecutionResponse,
  type PrepareResponse,
} from '@yield-vault/protocol';
import { localVaults, type LocalVaultKind, setRoom } from '@yield-vault/testing/local';
import fc from 'fast-check';
import { createPublicClient, createTestClient, erc4626Abi, http, isAddressEqual, type Address } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { createApiClient, type ApiClient, type ErrorBody } from '../test/support/api-client.js';
import { deal } from '../test/support/deal.js';
import { devnetChains } from '../test/support/devnet.js';
import { setUp, signPrepared } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

// `npm run wallets -w @yield-vault/api-e2e` runs 200 wallets. WALLETS_SEED repeats a run.
const count = Number(process.env['WALLETS'] ?? 40);
const atOnce = 4;
const seed = Number(process.env['WALLETS_SEED'] ?? 1);

const usdc = chainFacts(8453).usdc.address;
const assets = {
  USDC: { token: usdc, decimals: 6, largest: 30_000_000n },
  WETH: { token: chainFacts(8453).wrappedNative.address, decimals: 18, largest: 10n ** 16n },
};
const gasMoney = 4_000_000n;
const perMille = fc.integer({ min: 0, max: 1000 });
const randomWallet = fc.record({
  amount: fc.integer({ min: 50, max: 1000 }),
  /** Of the amount. */
  held: fc.oneof(perMille, fc.constantFrom(0, 1000)),
  gas: fc.oneof(perMille, fc.constant(0)),
  lowers: fc.boolean(),
  all: fc.boolean(),
  /** Where a rebalance goes, of the vaults that it may choose from; half of them leave it to the service. */
  target: fc.option(fc.nat()),
});
type RandomWallet = ReturnType<typeof randomWallet.generate>['value'];

const toText = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));

const vaults = localVaults[8453].map((vault) => ({ ...vault, vaultId: vaultIdOf(8453, vault.address) }));
type Vault = (typeof vaults)[number];
/** Nobody redeems from these either. */
const closed: readonly LocalVaultKind[] = ['paused', 'async', 'whitelist', 'minimum', 'gas-bomb', 'frozen'];
const unlisted: readonly LocalVaultKind[] = [...closed, 'impostor', 'mislabelled', 'locked'];
const capped = vaults.find(({ kind }) => kind === 'capped')!;

describe(`${count} random wallets of seed ${seed}`, () => {
  const { base } = devnetChains();
  const rpc = createPublicClient({ transport: http(base.rpcUrl) });
  const anvil = createTestClient({ mode: 'anvil', transport: http(base.rpcUrl) });
  // Bundler and preflight use the newest block, which a cheat does not change: mint, or mine another block.
  const give = async (token: Address, wallet: Address, amount: bigint) => {
    if (isAddressEqual(token, usdc)) await fundWallet(base, wallet, { usdc: amount });
    else {
      await deal(base.rpcUrl, token, wallet, amount);
      await anvil.mine({ blocks: 1 });
    }
  };
  let server: Server;
  let api: ApiClient;
  let operations: (readonly [operation: string, Vault])[];

  beforeAll(async () => {
    await setRoom(base, capped, 1_000_000);
    server = await startServer({ backfillHours: 48, requestsPerMinute: 100_000 });
    api = await createApiClient(server.url);
    const best = await Promise.all(
      Object.keys(assets).map(async (asset) => (await api.discover({ asset })).vaults[0]!.vaultId),
    );
    const except = (kinds: readonly LocalVaultKind[]) => vaults.filter(({ kind }) => !kinds.includes(kind));
    operations = [
      ...except(unlisted).map((vault) => ['deposit', vault] as const),
      ...except(closed).map((vault) => ['redeem', vault] as const),
      ...except(closed)
        .filter(({ vaultId }) => !best.includes(vaultId))
        .map((vault) => ['rebalance', vault] as const),
    ];
  }, 60_000);
  afterAll(async () => {
    await setRoom(base, capped, capped.room!);
    await server?.stop();
  });

  /** @returns whether anything was missing at first */
  async function run(random: RandomWallet, [operation, vault]: (typeof operations)[number]) {
    const { token, decimals, largest } = assets[vault.asset];
    const amount = (largest * BigInt(random.amount)) / 1000n;
    const part = (whole: bigint) => (whole * BigInt(random.held)) / 1000n;
    const agent = await createViemAgentOf(generatePrivateKey(), base.rpcUrl);
    const { address } = agent;
    await fundWallet(base, address, { ethWei: 5n * 10n ** 15n });
    await setUp(api, agent, vaults[0]!.vaultId);
    await give(usdc, address, (gasMoney * BigInt(random.gas)) / 1000n);

    const request = { operation, agentAddress: address, vaultId: vault.vaultId };
    let body: object = request;
    let path = '/v1/yield/prepare';
    const open = operations.flatMap(([name, one]) =>
      name === 'deposit' && one.asset === vault.asset ? one : [],
    );
    const others = open.filter((one) => one !== vault);
    const target =
      operation === 'rebalance' && random.target !== null ? others[random.target % others.length] : undefined;
    if (target) path += `?targetVaultId=${target.vaultId}`;
    if (operation === 'deposit') {
      await give(token, address, part(amount));
      body = { ...request, asset: vault.asset, amount: formatAmount(amount, decimals) };
    } else {
      const shares = await rpc.readContract({
        ...{ address: vault.address, abi: erc4626Abi, functionName: 'convertToShares', args: [amount] },
      });
      const redeemsPart = operation === 'redeem' && !random.all;
      await give(vault.address, address, redeemsPart ? part(shares) : shares);
      if (operation === 'redeem')
        body = { ...request, ...(redeemsPart ? { shares: `${shares}` } : { percentage: 100 }) };
    }

    const first = await api.call('POST', path, body);
    if (first.status === 400) {
      const { code, details } = first.body as ErrorBody;
      expect(code).toBe('INSUFFICIENT_BALANCE');
      const {
        token: lacking,
        missing,
        gas,
        exitReserve = '0',
        maxAmount,
      } = details as Record<string, string>;
      if (random.lowers && maxAmount) body = { ...body, amount: maxAmount };
      else {
        const reserve = isAddressEqual(lacking as Address, usdc) ? BigInt(exitReserve) : 0n;
        await give(lacking as Address, address, BigInt(missing!) + reserve);
      }
      // Where another token is missing, `gas` and `exitReserve` say how much USDC the wallet needs.
      const held = await rpc.readContract({
        ...{ address: usdc, abi: erc4626Abi, functionName: 'balanceOf', args: [address] },
      });
      const needed = BigInt(gas!) + BigInt(exitReserve);
      if (!isAddressEqual(lacking as Address, usdc) && held < needed)
        await give(usdc, address, needed - held);
    }
    const second = first.status === 200 ? first : await api.call('POST', path, body);
    if (second.status !== 200)
      throw new Error(`first ${JSON.stringify(first.body)}\nsecond ${JSON.stringify(second.body)}`);
    const { warnings } = (second.body as PrepareExecutionResponse).execution;
    if (first.status === 400 && operation !== 'redeem')
      expect(warnings).not.toContainEqual(expect.objectContaining({ code: 'EXIT_NOT_COVERED' }));
    const executed = await api.execute(await signPrepared(agent, second.body as PrepareResponse));
    expect(executed).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    const { positions } = await api.status(address);
    const position = positions.find(({ vaultId }) => vaultId === vault.vaultId);
    if (operation === 'deposit') {
      // An exit fee of 0.1 % is the most that may be missing at once.
      const deposited = Number(executed.positionUpdate.assetsDelta);
      expect(Number(position?.currentValue)).toBeGreaterThan(deposited * 0.998);
    } else if (operation === 'rebalance' || random.all) expect(position).toBeUndefined();
    if (target) expect(positions.map(({ vaultId }) => vaultId)).toContain(target.vaultId);
    return first.status === 400;
  }

  /** Deposit all that a wallet can, as the refusal of its whole balance says, and leave without further funds. */
  async function runExit(balance: bigint, [, vault]: (typeof operations)[number]) {
    const agent = await createViemAgentOf(generatePrivateKey(), base.rpcUrl);
    const { address: agentAddress } = agent;
    await fundWallet(base, agentAddress, { ethWei: 5n * 10n ** 15n, usdc: balance });
    await setUp(api, agent, vaults[0]!.vaultId);
    const place = { agentAddress, vaultId: vault.vaultId };
    const call = (fields: object) => api.call('POST', '/v1/yield/prepare', { ...place, ...fields });
    const deposit = { operation: 'deposit', asset: 'USDC' };
    const refused = await call({ ...deposit, amount: formatAmount(balance, 6) });
    const { maxAmount } = (refused.body as ErrorBody).details as Record<string, string>;
    for (const body of [
      { ...deposit, amount: maxAmount },
      { operation: 'redeem', percentage: 100 },
    ]) {
      const prepared = await call(body);
      if (prepared.status !== 200) throw new Error(JSON.stringify([body, prepared.body]));
      const { execution } = prepared.body as PrepareExecutionResponse;
      expect(execution.warnings).not.toContainEqual(expect.objectContaining({ code: 'EXIT_NOT_COVERED' }));
      const executed = await api.execute(await signPrepared(agent, prepared.body as PrepareResponse));
      expect(executed).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    }
    expect((await api.status(agentAddress)).positions).toEqual([]);
  }

  /** Several at a time: Alto estimates behind waiting operations of the same paymaster, where gas is lower. */
  async function runAll<T>(
    drawn: readonly T[],
    choices: typeof operations,
    act: (random: T, choice: (typeof operations)[number]) => Promise<unknown>,
  ): Promise<string[]> {
    const failures: string[] = [];
    const waiting = drawn.entries();
    const work = async () => {
      for (const [index, random] of waiting) {
        const choice = choices[index % choices.length]!;
        await act(random, choice).catch((error: Error) =>
          failures.push(`${choice[0]} ${choice[1].name} ${toText(random)}: ${error.message}`),
        );
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return failures;
  }

  it(
    'behavior: the next call succeeds with exactly `missing` added, or with exactly `maxAmount`',
    async () => {
      const drawn = fc.sample(randomWallet, { numRuns: count, seed });
      let missing = 0;
      const failures = await runAll(drawn, operations, async (random, choice) => {
        if (await run(random, choice)) missing += 1;
      });
      expect(failures).toEqual([]);
      expect(missing).toBeGreaterThan(count / 2);
    },
    count * 3_000,
  );

  it(
    'behavior: a wallet that deposits exactly `maxAmount` leaves again without further funds',
    async () => {
      const balances = fc.sample(fc.bigInt(6_000_000n, 60_000_000n), { numRuns: count, seed });
      const deposits = operations.filter(([name, { asset }]) => name === 'deposit' && asset === 'USDC');
      expect(await runAll(balances, deposits, runExit)).toEqual([]);
    },
    count * 3_000,
  );
});
