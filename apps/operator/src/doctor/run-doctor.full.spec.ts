import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  canonical,
  chainFacts,
  localContracts,
  localPaymasterOwner,
  usdcPaymasterAbi,
} from '@yield-vault/contracts';
import { openDatabase, startJobs, type DatabaseHandle } from '@yield-vault/database';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import {
  anvilKey,
  bundlerProfiles,
  imitateBundler,
  listen,
  startRpcProxy,
  type RpcProxy,
  type RpcProxyCall,
  type RpcProxyHook,
  type RunningServer,
} from '@yield-vault/testing';
import {
  callAsOperator,
  createChainClient,
  localAddresses,
  localPriceFeedAbi,
  localRegistry,
  localUsdcAbi,
  localVaults,
  request,
  type ChainClient,
} from '@yield-vault/testing/local';
import { silentLogger } from '@yield-vault/protocol';
import { encodeFunctionData, numberToHex, parseEther, zeroHash, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { runDoctor } from './run-doctor.js';
import type { Result } from './check.js';

jest.setTimeout(120_000);

const chainId = 8453;
const secret = 'a-secret-key';
const credential = 'an-admin-credential';
const keeperKey = anvilKey(5);
const contracts = localContracts(chainId);
const { usdc, ethUsdFeed, sequencerFeed } = localAddresses[chainId];
const owner = localPaymasterOwner;
const kindOf = new Map(localVaults[chainId].map(({ address, kind }) => [address, kind]));
const sound = localRegistry().vaults.filter(
  ({ chain, name, address }) =>
    chain === 'base' && !/mislabel/i.test(name) && kindOf.get(address) !== 'mislabelled',
);
const paused = sound.filter(({ address }) => kindOf.get(address) === 'paused');

type Json = Record<string, unknown>;
type Answer = { readonly result?: unknown; readonly error?: object };

/** Replace the response to some calls of a node. */
const answering =
  (respond: (call: RpcProxyCall, response: Answer) => Answer | undefined): RpcProxyHook =>
  (calls, forward) => {
    const rewrite = async () => {
      const { status, text } = await forward();
      const body = JSON.parse(text) as Answer | Answer[];
      const rewritten = [body].flat().map((response, index) => {
        const { result, error, ...envelope } = response;
        return { ...envelope, ...(respond(calls[index]!, response) ?? { result, error }) };
      });
      return { status, text: JSON.stringify(Array.isArray(body) ? rewritten : rewritten[0]) };
    };
    return rewrite();
  };
const refusing = (method: string, message: string, when: (call: RpcProxyCall) => boolean = () => true) =>
  answering((call) =>
    call.method === method && when(call) ? { error: { code: -32000, message } } : undefined,
  );
const returning = (method: string, result: unknown) =>
  answering((call) => (call.method === method ? { result } : undefined));

const closed = 'http://127.0.0.1:1';
const onPostgres = isPostgresReachable() ? describe : describe.skip;

onPostgres('runDoctor', () => {
  let devnet: Devnet;
  let client: ChainClient;
  let node: RpcProxy;
  let bundler: RpcProxy;
  let services: RunningServer & { readonly url: string };
  let networks: readonly string[];
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let database: DatabaseHandle;
  let worker: ReturnType<typeof startJobs>;
  let folder: string;
  const undo: (() => unknown)[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'yield-vault-doctor-'));
    postgres = await createTemporaryPostgres();
    database = await openDatabase({ url: postgres.url });
    const idle = { name: 'idle', intervalMs: 600_000, run: () => Promise.resolve('done' as const) };
    worker = startJobs(() => [idle], { leader: { database, name: 'worker' }, logger: silentLogger });
    devnet = await startDevnet({ chains: ['base'] });
    const [chain] = devnet.chains;
    client = createChainClient(chain!.rpcUrl);
    [node, bundler] = await Promise.all([startRpcProxy(chain!.rpcUrl), startRpcProxy(chain!.bundlerUrl)]);
    // Facilitator and fork service.
    const server = await listen(
      createServer(({ url = '', headers }, response) => {
        const isAllowed = url !== '/v1/forks' || headers.authorization === `Bearer ${credential}`;
        const kinds = networks.map((network) => ({ x402Version: 2, scheme: 'exact', network }));
        const health = { status: 'healthy', version: 'anvil', activeForks: 0, maxForks: 32 };
        response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ kinds, extensions: [], signers: {}, ...health, forks: [] }));
      }),
    );
    services = { ...server, url: `http://127.0.0.1:${server.port}` };
    // A Safe has code.
    await request(client, 'anvil_setCode', [owner, '0x00']);
  });
  afterAll(async () => {
    await worker?.stop();
    await database?.close();
    await postgres?.drop();
    await Promise.all([node, bundler, services].map((each) => each?.stop()));
    await devnet?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    networks = [`eip155:${chainId}`];
    const id = await request<Hex>(client, 'evm_snapshot', []);
    undo.push(() => request(client, 'evm_revert', [id]));
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  const base = (): Json => ({
    chainId,
    rpcUrls: [`${node.url}/v2/${secret}`],
    bundlerUrls: [`${bundler.url}/v2/${secret}`],
    maxHeadAgeSeconds: 600,
  });
  const deploymentOf = (): Json => ({
    environment: 'local',
    database: { url: postgres.url },
    rateLimits: { redisUrl: 'redis://127.0.0.1:6379' },
    forks: { provider: 'service', service: { url: services.url, adminCredential: credential } },
    preflight: { mode: 'enforce' },
    payments: {
      mode: 'on',
      payTo: owner,
      publicUrl: 'http://127.0.0.1',
      facilitator: { url: services.url, bearerToken: secret },
    },
    keeper: { privateKey: keeperKey },
    discovery: { registryFile: './registry.json' },
    chains: { base: base() },
  });

  /** Run the doctor over a deployment. */
  async function diagnose(change: Json = {}, registry: readonly object[] = sound) {
    writeFileSync(join(folder, 'registry.json'), JSON.stringify({ vaults: registry }));
    const file = join(folder, 'deployment.yaml');
    writeFileSync(file, JSON.stringify({ ...deploymentOf(), ...change }));
    const out: string[] = [];
    const io = { out: (text: string) => void out.push(text), note: (text: string) => void out.push(text) };
    const failed = await runDoctor({ YIELD_VAULT_CONFIG: file }, { json: true }, io);
    for (const hidden of [secret, credential, keeperKey]) expect(out.join()).not.toContain(hidden);
    const { checks } = JSON.parse(out[0]!) as { readonly checks: readonly Result[] };
    return { failed, checks };
  }

  const asOwner = async (
    functionName: 'pause' | 'unlockStake' | 'withdrawDeposit',
    args: readonly unknown[] = [],
  ) => {
    await request(client, 'anvil_impersonateAccount', [owner]);
    const data = encodeFunctionData({ abi: usdcPaymasterAbi, functionName, args } as never);
    await request(client, 'eth_sendTransaction', [{ from: owner, to: contracts.paymaster, data }]);
  };
  const setCode = (address: Address, code: Hex) => () => request(client, 'anvil_setCode', [address, code]);
  const setFeed = (address: Address, functionName: string, args: readonly unknown[]) => () =>
    callAsOperator(client, { address, abi: localPriceFeedAbi, functionName, args } as never);
  const hook = (of: () => RpcProxy, taken: RpcProxyHook) => () => undo.push(of().addHook(taken));
  const onNode = (taken: RpcProxyHook) => hook(() => node, taken);
  const onBundler = (taken: RpcProxyHook) => hook(() => bundler, taken);
  const inBase = (change: Json) => () => ({ chains: { base: { ...base(), ...change } } });

  it('default: a healthy deployment passes every check', async () => {
    const { failed, checks } = await diagnose();
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(failed).toBe(0);
    expect(checks.every(({ cure }) => cure === '')).toBe(true);
  });

  it('error: a dead node is one failure, and what depends on it is skipped', async () => {
    node.setFault('cut');
    undo.push(() => node.setFault(undefined));
    const { failed, checks } = await diagnose();
    expect(failed).toBe(1);
    const of = (state: string) => checks.filter((each) => each.state === state).map(({ check }) => check);
    expect(of('failed')).toEqual(['node']);
    expect(of('ok')).toEqual(['database', 'deposits', 'Redis', 'fork service', 'facilitator']);
    expect(of('skipped').length).toBe(checks.length - 6);
  });

  it('error: an invalid configuration lists every problem', async () => {
    const { failed, checks } = await diagnose({ database: {}, worker: 'sometimes' });
    expect(failed).toBe(2);
    expect(checks.map(({ cause }) => cause).sort()).toEqual([
      expect.stringMatching(/^database: /),
      expect.stringMatching(/^worker: /),
    ]);
  });

  it('behavior: on a managed fork, its service deploys the contracts', async () => {
    await setCode(contracts.router, '0x')();
    const { failed, checks } = await diagnose(inBase({ relayMode: 'managed-fork' })());
    expect(failed).toBe(0);
    expect(checks.filter(({ check }) => check.startsWith('paymaster'))).toEqual([]);
  });

  const stale = BigInt(chainFacts(chainId).wrappedNative.price.heartbeatSeconds + 7_200);
  const now = Math.floor(Date.now() / 1_000);
  let left = 20;

  type Fault = readonly [
    check: string,
    /** Matches state, cause and cure. */
    row: RegExp,
    /** Break something. @returns what changes in the deployment file, or nothing */
    breakIt: () => unknown,
    registry?: readonly object[],
  ];
  const faults: Record<string, Fault> = {
    'a node of another chain': [
      'node',
      /^failed: .*chain id 1; .*rpcUrls/,
      onNode(returning('eth_chainId', '0x1')),
    ],
    'a node that is behind': [
      'node',
      /^failed: .*3[67]\d\d s old.*in sync/,
      onNode(
        answering(({ method, params }, { result }) =>
          method === 'eth_getBlockByNumber' && params[0] === 'latest'
            ? { result: { ...(result as object), timestamp: numberToHex(now - 3_600) } }
            : undefined,
        ),
      ),
    ],
    'a node without old state': [
      'archive',
      /^failed: .*missing; Use an archive node/,
      onNode(refusing('eth_getBalance', 'missing trie node', ({ params }) => params[1] !== 'latest')),
    ],
    'a node without eth_simulateV1': [
      'eth_simulateV1',
      /^warning: .*known result failed; .*eth_simulateV1/,
      onNode(refusing('eth_simulateV1', 'the method does not exist')),
    ],
    'a limit of blocks in a log query': [
      'logs',
      /^warning: at most \d{1,3} of \d+ blocks in one query; .*logReads.blocks \(BASE_LOG_BLOCKS\)/,
      onNode(
        refusing('eth_getLogs', 'query exceeds max block range 100', ({ params: [filter] }) => {
          const { fromBlock, toBlock } = filter as { readonly fromBlock: Hex; readonly toBlock: Hex };
          return Number(toBlock) - Number(fromBlock) >= 100;
        }),
      ),
    ],
    'a node without old logs': [
      'logs',
      /^failed: .*history has been pruned.*keeps all logs/,
      onNode(refusing('eth_getLogs', 'history has been pruned')),
    ],
    'logs from a block that is not there yet': [
      'logs',
      /^failed: logsFromBlock is after.*logReads/,
      inBase({ logsFromBlock: 9_999_999 }),
    ],
    'a rate limit': [
      'rate',
      /^warning: it refused \d+ of 50.*requestsPerSecond/,
      onNode(([call]) =>
        call?.method === 'eth_blockNumber' && left-- < 0
          ? Promise.resolve({ status: 429, text: 'slow down' })
          : undefined,
      ),
    ],
    'a node that refuses much gas': [
      'call gas',
      /^failed: refused: 2\d{7} gas.*--rpc.gascap/,
      onNode(
        refusing('eth_call', 'gas limit exceeds cap', ({ params: [call] }) => {
          const { data, gas = '0x0' } = call as { readonly data?: Hex; readonly gas?: Hex };
          return data === '0x5a5f5260205ff3' && Number(gas) > 25_000_000;
        }),
      ),
    ],
    'a feed that stands still': [
      'feed',
      /^failed: .*s old; heartbeat 1200 s.*facts of the chain/,
      setFeed(ethUsdFeed, 'setRound', [250_000_000_000n, BigInt(now) - stale]),
    ],
    'a sequencer that is down': [
      'paymaster price',
      /^failed: .*PaymasterSequencerDown.*wait/,
      setFeed(sequencerFeed!, 'setRound', [1n, 1n]),
    ],
    'a missing contract': [
      'contracts',
      /^failed: router missing; .*docs\/production.md/,
      setCode(contracts.router, '0x'),
    ],
    'another entry point': [
      'contracts',
      /^failed: entryPoint mismatch.*another version/,
      setCode(canonical.entryPointV08, '0x00'),
    ],
    'another token in place of USDC': [
      'USDC',
      /^failed: .*0x0{40} has no code.*chains.base.usdc to Circle's/,
      inBase({ usdc: localAddresses[chainId].weth }),
    ],
    'a paused USDC': [
      'USDC',
      /^failed: .*is paused.*Circle pauses/,
      () => callAsOperator(client, { address: usdc, abi: localUsdcAbi, functionName: 'pause' }),
    ],
    'a bundler that is down': [
      'bundler',
      /^failed: .*connection failed.*bundlerUrls/,
      inBase({ bundlerUrls: [`${closed}/v2/${secret}`] }),
    ],
    'a bundler that shows no operation': [
      'bundler',
      /^warning: .*unsupported; Use a bundler/,
      onBundler(imitateBundler(bundlerProfiles.gateway)),
    ],
    'a bundler with fees below the base fee': [
      'bundler',
      /^failed: fee 1 wei.*Use a bundler/,
      onBundler(
        returning('pimlico_getUserOperationGasPrice', {
          standard: { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
        }),
      ),
    ],
    'a paymaster that is paused': [
      'paymaster deposit',
      /^failed: it is paused.*sets the ceiling again/,
      () => asOwner('pause'),
    ],
    'a paymaster without deposit': [
      'paymaster deposit',
      /^failed: 0 ETH.*deploy --deposit/,
      () => asOwner('withdrawDeposit', [owner, parseEther('1000')]),
    ],
    'a paymaster without stake': [
      'paymaster stake',
      /^failed: 0 ETH are locked; .*addStake/,
      () => asOwner('unlockStake'),
    ],
    'a paymaster that one key owns': [
      'paymaster owner',
      /^warning: .*is one key; .*Safe/,
      setCode(owner, '0x'),
    ],
    'an expired price': [
      'paymaster price',
      /^failed: it expires in -\d+ s; .*refresh-price/,
      () => {
        const slot = numberToHex(2, { size: 32 });
        return request(client, 'anvil_setStorageAt', [contracts.paymaster, slot, zeroHash]);
      },
    ],
    'no keeper': ['keeper', /^warning: .*nobody refreshes.*keeper.privateKey/, () => ({ keeper: {} })],
    'a keeper without ether': [
      'keeper',
      /^failed: 0 ETH.*send it ETH/,
      () => request(client, 'anvil_setBalance', [privateKeyToAccount(keeperKey).address, '0x0']),
    ],
    'vaults that the chain contradicts': [
      'vaults',
      new RegExp(
        `^warning: ${sound.length} of ${sound.length + 1} confirmed; Nowhere: .*not an ERC-4626.*vaults check`,
      ),
      () => undefined,
      [...sound, { ...sound[0], address: contracts.router, name: 'Nowhere' }],
    ],
    'vaults that take no deposit': [
      'vaults',
      /^failed: .* 0 of \d+ take a simulated deposit.*list others/,
      () => undefined,
      paused,
    ],
    'a node without state overrides': [
      'vaults',
      /^failed: .* 0 of .*state overrides/,
      onNode(refusing('eth_call', 'too many arguments, want at most 2', ({ params }) => params.length > 2)),
    ],
    'a database that is down': [
      'database',
      /^failed: .*database.*DATABASE_URL/i,
      () => ({ database: { url: `postgres://me:${secret}@127.0.0.1:1/none` } }),
    ],
    'no worker': [
      'database',
      /^warning: .*no worker runs.*apps\/worker/,
      () => ({ database: { url: testPostgresUrl } }),
    ],
    'deposits that are paused': [
      'deposits',
      /^warning: cap total 5000, pause chain:base; .*`resume`/,
      async () => {
        const cap = { kind: 'cap', scope: 'total', limit_usd: 5_000 };
        const pause = { kind: 'pause', scope: 'chain:base', limit_usd: 0 };
        await database.db
          .insertInto('deposit_limit')
          .values([cap, pause] as never)
          .execute();
        undo.push(() => database.db.deleteFrom('deposit_limit').execute());
      },
    ],
    'a node that limits the rate of simulations': [
      'vaults',
      /^warning: .*rate limit exceeded.*_LOG_RATE/,
      onNode(
        answering(({ method, params }) =>
          method === 'eth_call' && params.length > 2
            ? { error: { code: -32005, message: 'slow\ndown' } }
            : undefined,
        ),
      ),
    ],
    'a Redis that is down': [
      'Redis',
      /^failed: .*REDIS_URL/,
      () => ({ rateLimits: { redisUrl: 'redis://127.0.0.1:1' } }),
    ],
    'a fork service with another credential': [
      'fork service',
      /^failed: .*refuses the credential.*FORK_SERVICE_CREDENTIAL/,
      () => ({ forks: { provider: 'service', service: { url: services.url, adminCredential: secret } } }),
    ],
    'a facilitator of other chains': [
      'facilitator',
      /^failed: .*does not settle on base.*payments.chains/,
      () => {
        networks = ['eip155:1'];
      },
    ],
  };

  it.each(Object.entries(faults))('error: names %s', async (_, [name, row, breakIt, registry]) => {
    const change = await breakIt();
    const { checks } = await diagnose((change ?? {}) as Json, registry);
    const wrong = checks.filter(({ check, state }) => check === name && state !== 'ok');
    const rows = wrong.map(({ state, cause, cure }) => `${state}: ${cause}; ${cure}`);
    expect(rows).toEqual([expect.stringMatching(row)]);
  });
});
