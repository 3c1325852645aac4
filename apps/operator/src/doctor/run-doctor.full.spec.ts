import { createServer, type RequestListener } from 'node:http';
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
import { sql } from 'kysely';
import { encodeFunctionData, numberToHex, parseEther, type Address, type Hex } from 'viem';
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
const isKept = ({ chain, name }: { readonly chain: string; readonly name: string }) =>
  chain === 'base' && !/mislabel/i.test(name);
const vaults = localRegistry().vaults.filter(isKept);
const kindOf = new Map(localVaults[chainId].map(({ address, kind }) => [address, kind]));
const sound = vaults.filter(({ address }) => kindOf.get(address) !== 'mislabelled');
const paused = vaults.filter(({ address }) => kindOf.get(address) === 'paused');

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

const serve = (listener: RequestListener) => listen(createServer(listener));
const urlOf = ({ port }: RunningServer) => `http://127.0.0.1:${port}`;
const onPostgres = isPostgresReachable() ? describe : describe.skip;

onPostgres('runDoctor', () => {
  let devnet: Devnet;
  let client: ChainClient;
  let node: RpcProxy;
  let bundler: RpcProxy;
  let facilitator: RunningServer;
  let forkService: RunningServer;
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
    facilitator = await serve((_, response) => {
      const kinds = networks.map((network) => ({ x402Version: 2, scheme: 'exact', network }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ kinds, extensions: [], signers: {} }));
    });
    forkService = await serve(({ url, headers }, response) => {
      const isAllowed = url === '/health' || headers.authorization === `Bearer ${credential}`;
      response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
      const health = { status: 'healthy', version: 'anvil', activeForks: 0, maxForks: 32 };
      response.end(JSON.stringify(url === '/health' ? health : { forks: [] }));
    });
    // A Safe has code.
    await request(client, 'anvil_setCode', [owner, '0x00']);
  });
  afterAll(async () => {
    await worker?.stop();
    await database?.close();
    await postgres?.drop();
    await Promise.all([node, bundler, facilitator, forkService].map((each) => each?.stop()));
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
    forks: { provider: 'service', service: { url: urlOf(forkService), adminCredential: credential } },
    preflight: { mode: 'enforce' },
    payments: {
      mode: 'on',
      payTo: owner,
      publicUrl: 'http://127.0.0.1',
      facilitator: { url: urlOf(facilitator), bearerToken: secret },
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
    const [out, notes]: [string[], string[]] = [[], []];
    const io = { out: (text: string) => out.push(text), note: (text: string) => notes.push(text) };
    const failed = await runDoctor({ YIELD_VAULT_CONFIG: file }, { json: true }, io as never);
    const text = out.join('\n');
    for (const hidden of [secret, credential, keeperKey])
      expect(text + notes.join('\n')).not.toContain(hidden);
    const { checks } = JSON.parse(text) as { readonly checks: readonly Result[] };
    return { failed, checks, notes };
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
    expect(of('ok')).toEqual(['database', 'Redis', 'fork service', 'facilitator']);
    expect(of('skipped').length).toBe(checks.length - 5);
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
    const { failed, checks } = await diagnose(inBase({ relayMode: 'managed-fork' })());
    expect(failed).toBe(0);
    expect(checks.find(({ check }) => check === 'contracts')?.state).toBe('skipped');
  });

  interface Fault {
    readonly check: string;
    readonly state: 'failed' | 'warning';
    readonly cause: RegExp;
    readonly cure: RegExp;
    /** Break something. @returns what changes in the deployment file, or nothing */
    readonly break: () => unknown;
    readonly registry?: readonly object[];
  }
  const stale = BigInt(chainFacts(chainId).wrappedNative.price.heartbeatSeconds + 7_200);
  const old = (Math.floor(Date.now() / 1_000) - 3_600).toString(16);
  const closed = 'http://127.0.0.1:1';
  let left = 20;

  const faults: Record<string, Fault> = {
    'a node of another chain': {
      check: 'node',
      state: 'failed',
      cause: /chain id 1$/,
      cure: /rpcUrls/,
      break: onNode(returning('eth_chainId', '0x1')),
    },
    'a node that is behind': {
      check: 'node',
      state: 'failed',
      cause: /3[67]\d\d s old/,
      cure: /in sync/,
      break: onNode(
        answering(({ method, params }, { result }) =>
          method === 'eth_getBlockByNumber' && params[0] === 'latest'
            ? { result: { ...(result as object), timestamp: `0x${old}` } }
            : undefined,
        ),
      ),
    },
    'a node without old state': {
      check: 'archive',
      state: 'failed',
      cause: /missing trie node/,
      cure: /archive node/,
      break: onNode(refusing('eth_getBalance', 'missing trie node', ({ params }) => params[1] !== 'latest')),
    },
    'a node without eth_simulateV1': {
      check: 'eth_simulateV1',
      state: 'warning',
      cause: /known result failed/,
      cure: /eth_simulateV1/,
      break: onNode(refusing('eth_simulateV1', 'the method does not exist')),
    },
    'a node without eth_simulateV1, and no fork service': {
      check: 'eth_simulateV1',
      state: 'failed',
      cause: /known result failed/,
      cure: /fork service/,
      break: () => {
        onNode(returning('eth_simulateV1', [{ calls: [] }]))();
        return { forks: { provider: 'none' } };
      },
    },
    'preflight that is off': {
      check: 'eth_simulateV1',
      state: 'warning',
      cause: /preflight is off/,
      cure: /./,
      break: () => ({ preflight: { mode: 'off' } }),
    },
    'a limit of blocks in a log query': {
      check: 'logs',
      state: 'warning',
      cause: /^\d{1,3} of \d+ blocks in one query/,
      cure: /logReads.blocks/,
      break: onNode(
        refusing('eth_getLogs', 'query exceeds max block range 100', ({ params: [filter] }) => {
          const { fromBlock, toBlock } = filter as { readonly fromBlock: Hex; readonly toBlock: Hex };
          return Number(toBlock) - Number(fromBlock) >= 100;
        }),
      ),
    },
    'a node without old logs': {
      check: 'logs',
      state: 'failed',
      cause: /history has been pruned/,
      cure: /keeps all logs/,
      break: onNode(refusing('eth_getLogs', 'history has been pruned')),
    },
    'logs from a block that is not there yet': {
      check: 'logs',
      state: 'failed',
      cause: /logsFromBlock is after/,
      cure: /logReads/,
      break: inBase({ logsFromBlock: 9_999_999 }),
    },
    'a rate limit': {
      check: 'rate',
      state: 'warning',
      cause: /refused \d+ of 50/,
      cure: /requestsPerSecond/,
      break: () => {
        left = 20;
        onNode(([call]) =>
          call?.method === 'eth_blockNumber' && left-- < 0
            ? Promise.resolve({ status: 429, text: 'slow down' })
            : undefined,
        )();
      },
    },
    'a node that refuses much gas': {
      check: 'call gas',
      state: 'failed',
      cause: /refused: 2\d{7} gas/,
      cure: /--rpc.gascap/,
      break: onNode(
        refusing('eth_call', 'gas limit exceeds cap', ({ params: [call] }) => {
          const { data, gas = '0x0' } = call as { readonly data?: Hex; readonly gas?: Hex };
          return data === '0x5a5f5260205ff3' && Number(gas) > 25_000_000;
        }),
      ),
    },
    'a node that cuts gas': {
      check: 'call gas',
      state: 'warning',
      cause: /cut: 25000000 gas/,
      cure: /gas in one eth_call/,
      break: onNode(
        answering(({ method, params }) =>
          method === 'eth_call' && (params[0] as { readonly data?: Hex }).data === '0x5a5f5260205ff3'
            ? { result: numberToHex(25_000_000, { size: 32 }) }
            : undefined,
        ),
      ),
    },
    'a feed that stands still': {
      check: 'feed',
      state: 'failed',
      cause: /s old; heartbeat 1200 s/,
      cure: /facts of the chain/,
      break: () =>
        setFeed(ethUsdFeed, 'setRound', [250_000_000_000n, BigInt(Math.floor(Date.now() / 1_000)) - stale])(),
    },
    'a feed of something else': {
      check: 'feed',
      state: 'failed',
      cause: /^BTC \/ USD/,
      cure: /facts of the chain/,
      break: setFeed(ethUsdFeed, 'setDescription', ['BTC / USD']),
    },
    'a feed without a price': {
      check: 'feed',
      state: 'failed',
      cause: /: 0, /,
      cure: /Wait for the feed/,
      break: setFeed(ethUsdFeed, 'setAnswer', [0n]),
    },
    'a sequencer that is down': {
      check: 'paymaster feeds',
      state: 'failed',
      cause: /PaymasterSequencerDown/,
      cure: /Wait/,
      break: setFeed(sequencerFeed!, 'setRound', [1n, 1n]),
    },
    'a missing contract': {
      check: 'contracts',
      state: 'failed',
      cause: /^router missing$/,
      cure: /docs\/production.md/,
      break: setCode(contracts.router, '0x'),
    },
    'another contract': {
      check: 'contracts',
      state: 'failed',
      cause: /^validator mismatch/,
      cure: /another version/,
      break: setCode(contracts.validator, '0x00'),
    },
    'another entry point': {
      check: 'contracts',
      state: 'failed',
      cause: /^entryPoint mismatch/,
      cure: /another version/,
      break: setCode(canonical.entryPointV08, '0x00'),
    },
    'a proxy of USDC without code behind it': {
      check: 'USDC',
      state: 'failed',
      cause: /0x\w{40} has no code/,
      cure: /Circle's USDC/,
      break: async () => {
        const slot = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3';
        await request(client, 'anvil_setStorageAt', [usdc, slot, numberToHex(0xdead, { size: 32 })]);
      },
    },
    'another token in place of USDC': {
      check: 'USDC',
      state: 'failed',
      cause: /0x0{40} has no code/,
      cure: /chains.base.usdc/,
      break: inBase({ usdc: localAddresses[chainId].weth }),
    },
    'a paused USDC': {
      check: 'USDC',
      state: 'failed',
      cause: /is paused/,
      cure: /Circle pauses/,
      break: () => callAsOperator(client, { address: usdc, abi: localUsdcAbi, functionName: 'pause' }),
    },
    'a bundler that is down': {
      check: 'bundler',
      state: 'failed',
      cause: /connection failed/,
      cure: /bundlerUrls/,
      break: inBase({ bundlerUrls: [`${closed}/v2/${secret}`] }),
    },
    'a bundler of another chain': {
      check: 'bundler',
      state: 'failed',
      cause: /chain id 10$/,
      cure: /bundler of chain 8453/,
      break: onBundler(returning('eth_chainId', '0xa')),
    },
    'a bundler of another entry point': {
      check: 'bundler',
      state: 'failed',
      cause: /supports the entry points 0x\w{40}/,
      cure: /EntryPoint v0.8/,
      break: onBundler(returning('eth_supportedEntryPoints', [contracts.router])),
    },
    'a bundler that shows no operation': {
      check: 'bundler',
      state: 'warning',
      cause: /unsupported/,
      cure: /Use a bundler/,
      break: onBundler(imitateBundler(bundlerProfiles.gateway)),
    },
    'a bundler with fees below the base fee': {
      check: 'bundler',
      state: 'failed',
      cause: /^fee 1 wei/,
      cure: /Use a bundler/,
      break: onBundler(
        returning('pimlico_getUserOperationGasPrice', {
          standard: { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
        }),
      ),
    },
    'a paymaster that is paused': {
      check: 'paymaster deposit',
      state: 'failed',
      cause: /is paused/,
      cure: /sets the ceiling again/,
      break: () => asOwner('pause'),
    },
    'a paymaster without deposit': {
      check: 'paymaster deposit',
      state: 'failed',
      cause: /^0 ETH/,
      cure: /depositTo/,
      break: () => asOwner('withdrawDeposit', [owner, parseEther('1000')]),
    },
    'a paymaster without stake': {
      check: 'paymaster stake',
      state: 'failed',
      cause: /staked: false/,
      cure: /addStake/,
      break: () => asOwner('unlockStake'),
    },
    'a paymaster that one key owns': {
      check: 'paymaster owner',
      state: 'warning',
      cause: /is one key/,
      cure: /Safe/,
      break: setCode(owner, '0x'),
    },
    'an expired price': {
      check: 'paymaster price',
      state: 'failed',
      cause: /expires in -\d+ s/,
      cure: /refresh-price/,
      break: async () => {
        const at = numberToHex(Math.floor(Date.now() / 1_000) - 60, { size: 6 }).slice(2);
        const word = await request<Hex>(client, 'eth_getStorageAt', [contracts.paymaster, '0x2', 'latest']);
        const value = `${word.slice(0, -28 - 12)}${at}${at}${word.slice(-16)}`;
        await request(client, 'anvil_setStorageAt', [
          contracts.paymaster,
          numberToHex(2, { size: 32 }),
          `0x${value.slice(2).slice(-64).padStart(64, '0')}`,
        ]);
      },
    },
    'no keeper': {
      check: 'keeper',
      state: 'warning',
      cause: /nobody refreshes/,
      cure: /keeper.privateKey/,
      break: () => ({ keeper: {} }),
    },
    'a keeper without ether': {
      check: 'keeper',
      state: 'failed',
      cause: /^0 ETH/,
      cure: /send it some ETH/,
      break: () => request(client, 'anvil_setBalance', [privateKeyToAccount(keeperKey).address, '0x0']),
    },
    'vaults that the chain contradicts': {
      check: 'vaults',
      state: 'warning',
      cause: new RegExp(`${sound.length} of ${sound.length + 1} confirmed; Nowhere: .*not an ERC-4626`),
      cure: /vaults check/,
      break: () => undefined,
      registry: [...sound, { ...sound[0], address: contracts.router, name: 'Nowhere' }],
    },
    'vaults that take no deposit': {
      check: 'dry run',
      state: 'failed',
      cause: /0 of \d+ vaults take a deposit/,
      cure: /list others/,
      break: () => undefined,
      registry: paused,
    },
    'a node without state overrides': {
      check: 'dry run',
      state: 'failed',
      cause: /^0 of/,
      cure: /state overrides/,
      break: onNode(
        refusing('eth_call', 'too many arguments, want at most 2', ({ params }) => params.length > 2),
      ),
    },
    'a database that is down': {
      check: 'database',
      state: 'failed',
      cause: /database/i,
      cure: /DATABASE_URL/,
      break: () => ({ database: { url: `postgres://me:${secret}@127.0.0.1:1/none` } }),
    },
    'a database of a newer version': {
      check: 'database',
      state: 'failed',
      cause: /newer version ran the migration 9999-later/,
      cure: /DATABASE_URL/,
      break: async () => {
        await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(
          database.db,
        );
        undo.push(() => sql`delete from kysely_migration where name = '9999-later'`.execute(database.db));
      },
    },
    'a role that may not write': {
      check: 'database',
      state: 'failed',
      cause: /may not write \w+/,
      cure: /owns its schema/,
      break: async () => {
        const role = `reader_${Date.now()}`;
        await sql`create role ${sql.id(role)} login`.execute(database.db);
        await sql`grant select on all tables in schema public to ${sql.id(role)}`.execute(database.db);
        undo.push(async () => {
          await sql`drop owned by ${sql.id(role)}`.execute(database.db);
          await sql`drop role ${sql.id(role)}`.execute(database.db);
        });
        const url = new URL(postgres.url);
        url.username = role;
        return { database: { url: url.href } };
      },
    },
    'no worker': {
      check: 'database',
      state: 'warning',
      cause: /no worker runs/,
      cure: /apps\/worker/,
      break: () => ({ database: { url: testPostgresUrl } }),
    },
    'a Redis that is down': {
      check: 'Redis',
      state: 'failed',
      cause: /./,
      cure: /REDIS_URL/,
      break: () => ({ rateLimits: { redisUrl: 'redis://127.0.0.1:1' } }),
    },
    'a fork service that is down': {
      check: 'fork service',
      state: 'failed',
      cause: /does not respond/,
      cure: /apps\/fork-service/,
      break: () => ({
        forks: { provider: 'service', service: { url: closed, adminCredential: credential } },
      }),
    },
    'a fork service with another credential': {
      check: 'fork service',
      state: 'failed',
      cause: /refuses the credential/,
      cure: /FORK_SERVICE_CREDENTIAL/,
      break: () => ({
        forks: { provider: 'service', service: { url: urlOf(forkService), adminCredential: secret } },
      }),
    },
    'a facilitator of other chains': {
      check: 'facilitator',
      state: 'failed',
      cause: /does not settle on base/,
      cure: /payments.chains/,
      break: () => {
        networks = ['eip155:1'];
      },
    },
  };

  it.each(Object.entries(faults))('error: names %s', async (_, fault) => {
    const change = await fault.break();
    const { checks } = await diagnose((change ?? {}) as Json, fault.registry);
    const wrong = checks.filter(({ check, state }) => check === fault.check && state !== 'ok');
    expect(wrong).toEqual([
      expect.objectContaining({
        state: fault.state,
        cause: expect.stringMatching(fault.cause),
        cure: expect.stringMatching(fault.cure),
      }),
    ]);
  });
});
