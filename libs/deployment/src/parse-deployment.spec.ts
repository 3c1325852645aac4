import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  contractAddresses,
  localContracts,
  localPaymasterOwner,
  walletContracts,
} from '@yield-vault/contracts';
import { buildDeploymentYaml, env } from '../test/build-deployment-yaml.js';
import { ConfigError } from '@yield-vault/protocol';
import { parseDeployment } from './parse-deployment.js';

const owner = '0x1111111111111111111111111111111111111111';
const chain = { name: 'A', rpcUrls: ['http://a.example'], explorerUrl: 'http://e.example' };
const twoChains = { a: { ...chain, chainId: 1 }, b: { ...chain, chainId: 8453 } };
const configDirectory = join(__dirname, '../../../config');

function problemsOf(yaml: string, environment: Record<string, string> = env): readonly string[] {
  try {
    parseDeployment(yaml, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('parseDeployment', () => {
  it('default: fills in the defaults of a short file', () => {
    const deployment = parseDeployment(buildDeploymentYaml(), env);
    expect(deployment).toMatchObject({
      server: { host: '127.0.0.1', port: 3000, bodyLimitBytes: 262_144, requestTimeoutSeconds: 180 },
      database: { directory: 'data' },
      rateLimits: { store: 'memory', perMinute: { discover: 120, prepare: 60, execute: 30, testing: 20 } },
      intents: {
        ...{ expirySeconds: 600, validAfterSeconds: 0, maxSlippageBps: 50 },
        ...{ minShares: 1_000n, maxRoundTripLossBps: 50, maxPriceJumpBps: 200 },
        archiveDays: 400,
      },
      setup: { ticketLifetimeSeconds: 900, paymasterAllowanceUsdc: 500_000_000n },
      forks: { provider: 'none', maxForks: 32, idleSeconds: 900 },
      preflight: { mode: 'off' },
      testing: { enabled: false },
      keeper: { deviationBps: 50, maxCostUsdc: 25_000_000n },
      chains: {
        base: {
          relayMode: 'chain',
          rpcUrls: ['http://127.0.0.1:8545'],
          bundlerUrls: [],
          entryPoint: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
          usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          contracts: localContracts(8453),
          fork: { opStack: true, bundlerAccounts: [] },
        },
      },
    });
  });

  it('behavior: the result is frozen throughout', () => {
    const deployment = parseDeployment(buildDeploymentYaml(), env);
    expect(Object.isFrozen(deployment)).toBe(true);
    expect(Object.isFrozen(deployment.rateLimits.perMinute)).toBe(true);
    expect(Object.isFrozen(deployment.chains['base']?.rpcUrls)).toBe(true);
  });

  it('behavior: numbers and flags may come from the environment', () => {
    const yaml = buildDeploymentYaml({
      server: { port: '${PORT:-3000}' },
      testing: { enabled: '${TESTING}' },
    });
    const given = parseDeployment(yaml, { ...env, PORT: '4001', TESTING: 'true' });
    expect(given).toMatchObject({ server: { port: 4001 }, testing: { enabled: true } });
    const others = parseDeployment(yaml, { ...env, TESTING: 'false' });
    expect(others).toMatchObject({ server: { port: 3000 }, testing: { enabled: false } });
  });

  it('behavior: a default may name another variable', () => {
    const yaml = buildDeploymentYaml({ database: { directory: '${FOLDER:-data/${NAME:-first}/x}' } });
    const directoryFor = (given: Record<string, string>) =>
      parseDeployment(yaml, { ...env, ...given }).database;
    expect(directoryFor({})).toMatchObject({ directory: 'data/first/x' });
    expect(directoryFor({ NAME: 'second' })).toMatchObject({ directory: 'data/second/x' });
    expect(directoryFor({ FOLDER: 'own' })).toMatchObject({ directory: 'own' });
  });

  it.each<[string, number | readonly string[]]>([
    ['', 0],
    ['2', 2],
    ['10.1.2.3, 10.0.0.0/8', ['10.1.2.3', '10.0.0.0/8']],
    ['loopback,2001:db8::/32,::1', ['loopback', '2001:db8::/32', '::1']],
  ])('behavior: trusted proxies are a number or addresses: %s', (given, trustProxy) => {
    const yaml = buildDeploymentYaml({ server: { trustProxy: '${PROXY:-}' } });
    expect(parseDeployment(yaml, { ...env, PROXY: given }).server).toMatchObject({ trustProxy });
  });

  it.each(['true', '-1', '11', '1.5', 'proxy.example', '10.0.0.0/33', '10.0.0.1,'])(
    'error: trusted proxies are not %s',
    (given) => {
      const yaml = buildDeploymentYaml({ server: { trustProxy: '${PROXY}' } });
      expect(problemsOf(yaml, { ...env, PROXY: given })).toEqual([
        expect.stringMatching(/^server\.trustProxy.* must be the number of proxies, or their addresses/),
      ]);
    },
  );

  it('behavior: one variable may hold several endpoints', () => {
    const several = { BASE_RPC_URL: 'http://a.example/, http://b.example' };
    const yaml = buildDeploymentYaml({}, { bundlerUrls: ['${BASE_RPC_URL}', 'http://c.example'] });
    const urls = ['http://a.example', 'http://b.example'];
    expect(parseDeployment(yaml, several).chains['base']).toMatchObject({
      rpcUrls: urls,
      bundlerUrls: [...urls, 'http://c.example'],
    });
  });

  it('behavior: the content of a variable never becomes YAML', () => {
    const yaml = buildDeploymentYaml({}, { name: '${NAME}' });
    const name = 'x"\nenvironment: production';
    expect(parseDeployment(yaml, { ...env, NAME: name }).chains['base']?.name).toBe(name);
  });

  describe('a variable in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'variables-'));
    const fileOf = (text: string) => {
      writeFileSync(join(folder, 'secret'), text);
      return join(folder, 'secret');
    };
    afterAll(() => rmSync(folder, { recursive: true }));
    const yaml = buildDeploymentYaml({ database: { url: '${DATABASE_URL:-}', directory: 'data' } });
    const url = 'postgres://user:secret@db.example/yield';
    const given = (variables: Record<string, string>) => ({ ...env, ...variables });

    it('behavior: its content is the value, without the line break at its end', () => {
      const { database } = parseDeployment(
        yaml,
        given({ DATABASE_URL: '', DATABASE_URL_FILE: fileOf(`${url}\n`) }),
      );
      expect(database).toMatchObject({ url });
      expect(parseDeployment(yaml, given({ DATABASE_URL_FILE: '' })).database).toEqual({ directory: 'data' });
    });

    it.each([
      ['that is missing', 'none', {}, /^database.url: DATABASE_URL_FILE cannot be used: ENOENT.*none'$/],
      ['that is empty', '\n', {}, /^database.url: DATABASE_URL_FILE cannot be used: the file is empty$/],
      [
        'beside the variable',
        url,
        { DATABASE_URL: url },
        /^database.url: DATABASE_URL_FILE .* DATABASE_URL is set, too$/,
      ],
    ])('error: a file %s, although the setting is optional', (_, text, others, problem) => {
      const file = text === 'none' ? join(folder, 'none') : fileOf(text);
      const problems = problemsOf(yaml, given({ DATABASE_URL_FILE: file, ...others }));
      expect(problems).toEqual([expect.stringMatching(problem)]);
      expect(problems.join()).not.toContain('secret@');
    });
  });

  it('behavior: a database URL wins over the directory, and an empty one does not count', () => {
    const yaml = buildDeploymentYaml({ database: { url: '${DATABASE_URL:-}', directory: 'data' } });
    const url = 'postgres://localhost/x';
    expect(parseDeployment(yaml, { ...env, DATABASE_URL: url }).database).toMatchObject({ url });
    expect(parseDeployment(yaml, { ...env, DATABASE_URL: '' }).database).toEqual({ directory: 'data' });
  });

  it('behavior: a Redis URL chooses the store', () => {
    const yaml = buildDeploymentYaml({ rateLimits: { redisUrl: '${REDIS_URL:-}' } });
    expect(parseDeployment(yaml, env).rateLimits.store).toBe('memory');
    const { rateLimits } = parseDeployment(yaml, { ...env, REDIS_URL: 'redis://127.0.0.1' });
    expect(rateLimits).toMatchObject({ store: 'redis', redisUrl: 'redis://127.0.0.1' });
  });

  it('behavior: paths are relative to the directory of the file', () => {
    const { discovery, database } = parseDeployment(buildDeploymentYaml(), env, '/etc/yield/deployment.yaml');
    expect(discovery.registryFile).toBe('/etc/yield/registry.json');
    expect(database).toEqual({ directory: '/etc/yield/data' });
  });

  it('behavior: addresses may follow from the owner of the paymaster', () => {
    const roles = { owner, pauser: '0x2222222222222222222222222222222222222222' } as const;
    const paymaster = { kind: 'own', ...roles };
    const yaml = buildDeploymentYaml({ environment: 'production' }, { paymaster });
    const { contracts } = parseDeployment(yaml, env).chains['base'] ?? {};
    expect(contracts).toEqual({ ...contractAddresses(8453, roles), paymasterRoles: roles });
  });

  const circle = '0x0578cFB241215b77442a541325d6A4E6dFE700Ec';
  const url = 'https://paymaster.example/rpc?apikey=k';
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

  it.each<[string, Record<string, unknown>, object]>([
    [
      'Circle, whose owner is nobody here',
      { paymaster: { kind: 'circle', owner } },
      { paymaster: { kind: 'circle' }, contracts: { ...walletContracts, paymaster: circle } },
    ],
    [
      'a service',
      { paymaster: { kind: 'erc7677', url, address: owner, context: { token: usdc.toLowerCase() } } },
      {
        paymaster: { kind: 'erc7677', url, context: { token: usdc.toLowerCase() } },
        contracts: { ...walletContracts, paymaster: owner },
      },
    ],
    [
      'a service whose context comes from the environment',
      { paymaster: { kind: 'erc7677', url, address: owner, context: '{"sponsorshipPolicyId":"sp_1"}' } },
      { paymaster: { kind: 'erc7677', url, context: { sponsorshipPolicyId: 'sp_1' } } },
    ],
    [
      'Circle on a chain that the address book does not know',
      { chainId: 31_337, usdc: owner, paymaster: { kind: 'circle', address: owner } },
      { paymaster: { kind: 'circle' }, contracts: { ...walletContracts, paymaster: owner } },
    ],
  ])('behavior: gas through %s', (_, settings, expected) => {
    const { base } = parseDeployment(buildDeploymentYaml({}, settings), env).chains;
    expect(base).toMatchObject(expected);
    expect(base?.paymaster).not.toHaveProperty('address');
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'another address for Circle',
      { paymaster: { kind: 'circle', address: owner } },
      `paymaster.address: must be ${circle}: that is Circle's on chain id 8453`,
    ],
    [
      'a service without the address of its paymaster',
      { paymaster: { kind: 'erc7677', url } },
      'paymaster.address: is required',
    ],
    [
      'a service whose context is no JSON',
      { paymaster: { kind: 'erc7677', url, address: owner, context: '{' } },
      'paymaster.context: must be JSON',
    ],
    [
      'a service that is to take another token',
      { paymaster: { kind: 'erc7677', url, address: owner, context: { token: owner } } },
      `paymaster.context.token: must be ${usdc}: wallets pay in USDC only`,
    ],
    ['a URL without a service', { paymaster: { kind: 'own', url } }, 'paymaster.url: unknown setting'],
  ])('error: %s', (_, settings, problem) => {
    expect(problemsOf(buildDeploymentYaml({}, settings))).toEqual([`chains.base.${problem}`]);
  });

  it('behavior: a feature that is off keeps no other setting', () => {
    const yaml = buildDeploymentYaml({
      forks: { provider: 'none', service: { url: 'http://forks.example', adminCredential: 'secret' } },
      preflight: { mode: 'off', concurrency: 3 },
      testing: { enabled: 'false', publicRpcUrls: true },
    });
    const { forks, preflight, testing } = parseDeployment(yaml, env);
    expect(forks).toEqual({ provider: 'none', maxForks: 32, idleSeconds: 900 });
    expect([preflight, testing]).toEqual([{ mode: 'off' }, { enabled: false }]);
  });

  it('behavior: forks of a fork service', () => {
    const service = { url: 'http://forks.example/', adminCredential: '${SECRET}' };
    const yaml = buildDeploymentYaml({ forks: { provider: 'service', service } });
    expect(parseDeployment(yaml, { ...env, SECRET: 's3cret' }, '/etc/yield/deployment.yaml').forks).toEqual({
      provider: 'service',
      url: 'http://forks.example',
      adminCredential: 's3cret',
      maxForks: 32,

      idleSeconds: 900,
    });
  });

  it('behavior: a fork service with nothing filled in counts as no forks, and managed forks still parse', () => {
    const yaml = buildDeploymentYaml(
      { forks: { provider: 'service', service: { url: '${NONE:-}' } }, testing: { enabled: true } },
      { relayMode: 'managed-fork' },
    );
    const { forks, chains } = parseDeployment(yaml, env);
    expect(forks.provider).toBe('none');
    expect(chains['base']?.relayMode).toBe('managed-fork');
  });

  it('behavior: preflight and its settings', () => {
    const yaml = buildDeploymentYaml({ preflight: { mode: 'enforce' } });
    expect(parseDeployment(yaml, env).preflight).toEqual({
      mode: 'enforce',
      concurrency: 16,
      queueLimit: 256,
      deadlineMs: 15_000,
    });
  });

  it('behavior: testing tools have the caps of the interface, which can be lowered', () => {
    const parse = (testing: object) => parseDeployment(buildDeploymentYaml({ testing }), env).testing;
    expect(parse({ enabled: 'true' })).toEqual({
      enabled: true,
      maxEthWeiPerCall: 20_000_000_000_000_000n,
      maxUsdcBaseUnitsPerCall: 50_000_000n,
      allowlist: null,
      publicRpcUrls: false,
    });
    expect(
      parse({ enabled: true, maxEthWeiPerCall: '19999999999999999', maxUsdcBaseUnitsPerCall: 1 }),
    ).toMatchObject({ maxEthWeiPerCall: 19_999_999_999_999_999n, maxUsdcBaseUnitsPerCall: 1n });
  });

  it('behavior: addresses may be a list or one text with commas', () => {
    const lowerCase = owner.toLowerCase();
    const yaml = buildDeploymentYaml(
      { testing: { enabled: true, allowlist: '${WALLETS:-}' } },
      { fork: { bundlerAccounts: [lowerCase] } },
    );
    const parse = (WALLETS: string) => parseDeployment(yaml, { ...env, WALLETS });
    expect(parse('').testing).toMatchObject({ allowlist: null });
    expect(parse(`${lowerCase}, ${owner}`).testing).toMatchObject({ allowlist: [owner, owner] });
    expect(parse('').chains['base']?.fork.bundlerAccounts).toEqual([owner]);
  });

  it('behavior: a paymaster that is named has no owner that a fork could deploy them for', () => {
    const paymaster = { kind: 'own', address: owner };
    const yaml = buildDeploymentYaml({ environment: 'production' }, { paymaster });
    expect(parseDeployment(yaml, env).chains['base']?.contracts).toEqual({
      ...walletContracts,
      paymaster: owner,
    });
  });

  it('error: ConfigError lists every problem at once', () => {
    const yaml = buildDeploymentYaml(
      { environment: 'moon', colour: 'red', server: { port: 70_000 }, payments: { mode: 'on' } },
      { chainId: 0, bundlerUrls: ['ftp://x.example'], speed: 1 },
    );
    expect(problemsOf(yaml, {}).map((problem) => problem.split(':')[0])).toEqual([
      'chains.base.rpcUrls[0]',
      'environment',
      'server.port',
      'payments.payTo',
      'payments.publicUrl',
      'payments.facilitator',
      'chains.base.chainId',
      'chains.base.bundlerUrls[0]',
      'chains.base.speed',
      'colour',
    ]);
  });

  it.each([
    [
      'a missing variable',
      {},
      {},
      {},
      'chains.base.rpcUrls[0]: environment variable BASE_RPC_URL is not set',
    ],
    ['an unknown setting', { server: { prot: 1 } }, {}, env, 'server.prot: unknown setting'],
    ['a missing block', { chains: undefined }, {}, env, 'chains: is required'],
    ['an unknown kind of number', { server: { port: 'x' } }, {}, env, 'server.port: must be a whole number'],
    ['another type', { environment: 5 }, {}, env, expect.stringMatching(/^environment: Invalid option/)],
    ['no chain', { chains: {} }, {}, env, 'chains: must have at least one chain'],
    ['no database', { database: {} }, {}, env, 'database: needs a url or a directory'],
    [
      'a database URL that is none',
      { database: { url: 'db.example:5432/yield' } },
      {},
      env,
      'database.url: must be a postgres:// URL, with special characters in the password percent-encoded',
    ],
    [
      'a database URL whose password is not percent-encoded',
      { database: { url: 'postgres://user:a#b@db.example/yield' } },
      {},
      env,
      'database.url: must be a postgres:// URL, with special characters in the password percent-encoded',
    ],
    [
      'an allowance above what the executor renews',
      { setup: { paymasterAllowanceUsdc: 500_000_001 } },
      {},
      env,
      'setup.paymasterAllowanceUsdc: must be at most 500000000',
    ],
    ['an address', {}, { usdc: '0x12' }, env, 'chains.base.usdc: must be an address (0x and 40 hex digits)'],
    [
      'a chain that the address book does not know',
      {},
      { chainId: 31_337, paymaster: { kind: 'own', address: owner } },
      env,
      'chains.base.usdc: is required: chain id 31337 is unknown',
    ],
    [
      'a wait beyond the request',
      { relay: { executeWaitSeconds: 180 } },
      {},
      env,
      'relay.executeWaitSeconds: must be below server.requestTimeoutSeconds (180)',
    ],
    [
      'a simulation beyond the request',
      { preflight: { mode: 'enforce', deadlineMs: 180_000 } },
      {},
      env,
      'preflight.deadlineMs: must be below server.requestTimeoutSeconds (180)',
    ],
    [
      'an external worker of an embedded database',
      { worker: 'external', database: { directory: './database' } },
      {},
      env,
      'worker: external needs database.url: the embedded database serves one process',
    ],
    [
      'fewer forks than chains',
      { forks: { maxForks: '1' }, chains: twoChains },
      {},
      env,
      'forks.maxForks: must be at least 2: one for each chain',
    ],
    [
      'a fork service without its credential',
      { forks: { provider: 'service', service: { url: 'http://forks.example' } } },
      {},
      env,
      'forks.service: needs both url and adminCredential',
    ],
    [
      'more ETH than the interface allows',
      { testing: { enabled: true, maxEthWeiPerCall: '20000000000000001' } },
      {},
      env,
      'testing.maxEthWeiPerCall: must be at most 20000000000000000',
    ],
    [
      'more USDC than the interface allows',
      { testing: { enabled: true, maxUsdcBaseUnitsPerCall: 50_000_001 } },
      {},
      env,
      'testing.maxUsdcBaseUnitsPerCall: must be at most 50000000',
    ],
    [
      'a number that YAML does not keep exact',
      { testing: { enabled: true, maxEthWeiPerCall: 2 ** 53 } },
      {},
      env,
      'testing.maxEthWeiPerCall: must be a whole number, in quotes above 2^53 - 1',
    ],
    [
      'a cap of zero',
      { testing: { enabled: true, maxUsdcBaseUnitsPerCall: 0 } },
      {},
      env,
      'testing.maxUsdcBaseUnitsPerCall: must be above zero',
    ],
    [
      'a wallet that is no address',
      { testing: { enabled: true, allowlist: `${owner}, 0x12` } },
      {},
      env,
      'testing.allowlist[1]: must be an address (0x and 40 hex digits)',
    ],
    [
      'an unknown relay mode',
      {},
      { relayMode: 'fork' },
      env,
      expect.stringMatching(/^chains\.base\.relayMode: Invalid option/),
    ],
    [
      'the public paymaster owner on a real chain',
      { environment: 'production' },
      {},
      env,
      `chains.base.paymaster.owner: must be set to another account: the key of ${localPaymasterOwner} is public`,
    ],
    [
      'the paymaster of the public owner on a real chain',
      { environment: 'staging' },
      { paymaster: { kind: 'own', address: localContracts(8453).paymaster } },
      env,
      'chains.base.paymaster.address: must be set to another paymaster: the key of its owner is public',
    ],
    [
      'a pauser whose key is public on a real chain',
      { environment: 'staging' },
      { paymaster: { kind: 'own', owner, pauser: localPaymasterOwner } },
      env,
      `chains.base.paymaster.pauser: must be set to another account: the key of ${localPaymasterOwner} is public`,
    ],
  ])('error: %s', (_, overrides, chainOverrides, environment, problem) => {
    expect(problemsOf(buildDeploymentYaml(overrides, chainOverrides), environment)).toEqual([problem]);
  });

  it('error: two keys of one chain id', () => {
    const { a } = twoChains;
    expect(problemsOf(buildDeploymentYaml({ chains: { a, b: a } }))).toEqual([
      'chains.b.chainId: is 1, which a already has',
    ]);
  });

  it('error: discarding a replaced chain outside the local environment', () => {
    const discarding = { discovery: { onReplacedChain: 'discard' } };
    expect(problemsOf(buildDeploymentYaml(discarding))).toEqual([]);
    const owned = { paymaster: { kind: 'own', owner } };
    expect(problemsOf(buildDeploymentYaml({ environment: 'staging', ...discarding }, owned))).toEqual([
      'discovery.onReplacedChain: must be stop outside the local environment',
    ]);
  });

  it('error: a file that is no YAML', () => {
    expect(problemsOf('a: [').length).toBeGreaterThan(0);
    expect(problemsOf('')).toEqual([expect.stringMatching(/^file: .*expected object/)]);
  });

  it('behavior: payments that are on are complete', () => {
    const paid = {
      mode: 'on',
      payTo: owner.toLowerCase(),
      publicUrl: 'https://api.example/',
      prices: { discover: { enabled: false } },
      facilitator: { url: 'https://facilitator.example', bearerToken: 'secret' },
      allowlist: 'one, two',
    };
    expect(parseDeployment(buildDeploymentYaml({ payments: paid }), env).payments).toEqual({
      mode: 'on',
      payTo: owner,
      publicUrl: 'https://api.example',
      prices: { prepare: '0.01' },
      chains: [],
      maxTimeoutSeconds: 120,
      facilitator: { kind: 'remote', url: 'https://facilitator.example', bearerToken: 'secret' },
      allowlist: ['one', 'two'],
      freeCallsPerDay: 0,
      maxInFlightPerPayer: 8,
    });
    expect(
      parseDeployment(buildDeploymentYaml({ payments: { ...paid, mode: 'off' } }), env).payments,
    ).toEqual({
      mode: 'off',
    });
  });

  it.each(['local', 'staging', 'preproduction'])('behavior: %s may embed the facilitator', (environment) => {
    const facilitator = { privateKey: `0x${'11'.repeat(32)}` };
    const payments = { mode: 'on', payTo: owner, publicUrl: 'https://api.example', facilitator };
    expect(problemsOf(buildDeploymentYaml({ environment, payments }))).not.toContainEqual(
      expect.stringMatching(/^payments/),
    );
  });

  it('error: production with an embedded facilitator', () => {
    const facilitator = { privateKey: `0x${'11'.repeat(32)}` };
    const payments = { mode: 'on', payTo: owner, publicUrl: 'https://api.example', facilitator };
    expect(problemsOf(buildDeploymentYaml({ environment: 'production', payments }))).toContainEqual(
      expect.stringMatching(/^payments\.facilitator\.privateKey: /),
    );
  });

  it.each([
    [
      'two facilitators',
      { facilitator: { url: 'https://f.example', privateKey: `0x${'11'.repeat(32)}` } },
      'facilitator',
    ],
    ['a key that is none', { facilitator: { privateKey: '0x11' } }, 'facilitator.privateKey'],
    ['a price that is no decimal', { prices: { prepare: { priceUsd: '1e-2' } } }, 'prices.prepare.priceUsd'],
    ['an unknown chain', { chains: ['moon'], facilitator: { privateKey: `0x${'11'.repeat(32)}` } }, 'chains'],
  ])('error: payments with %s', (_, wrong, path) => {
    const payments = { mode: 'on', payTo: owner, publicUrl: 'https://api.example', ...wrong };
    expect(problemsOf(buildDeploymentYaml({ payments }))).toEqual([
      expect.stringMatching(new RegExp(`^payments\\.${path}`)),
    ]);
  });

  it.each([
    ['local', 'local.yaml', 'managed-fork', true, 200],
    ['staging', 'staging.yaml', 'managed-fork', true, 20],
    ['preproduction', 'staging.yaml', 'managed-fork', true, 20],
    ['production', 'production.yaml', 'chain', false, 20],
  ])('behavior: %s from config/%s', async (name, fileName, relayMode, hasTestingTools, testingPerMinute) => {
    const file = join(configDirectory, fileName);
    const deployment = parseDeployment(
      await readFile(file, 'utf8'),
      {
        ...(name === 'preproduction' && { ENVIRONMENT: name }),
        BASE_RPC_URL: 'http://127.0.0.1:8545',
        BASE_BUNDLER_URL: 'http://127.0.0.1:4337',
        ETHEREUM_RPC_URL: 'http://127.0.0.1:8546',
        ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:4338',
        DATABASE_URL: 'postgres://localhost/x',
        PAYMASTER_OWNER: owner,
        BASE_LOGS_FROM_BLOCK: '38000000',
        ETHEREUM_LOGS_FROM_BLOCK: '23900000',
        FORK_SERVICE_URL: 'http://127.0.0.1:3100',
        FORK_SERVICE_CREDENTIAL: 'a credential of the operator',
      },
      file,
    );
    const { base, ethereum } = deployment.chains;
    expect(Object.keys(deployment.chains)).toEqual(['base', 'ethereum']);
    expect(base).toMatchObject({ chainId: 8453, relayMode, fork: { opStack: true, usdcBalanceSlot: 9 } });
    expect(ethereum).toMatchObject({ chainId: 1, relayMode, fork: { opStack: false, usdcBalanceSlot: 9 } });
    expect(deployment).toMatchObject({
      environment: name,
      rateLimits: { perMinute: { testing: testingPerMinute } },
      forks: { provider: 'service', url: 'http://127.0.0.1:3100' },
      preflight: { mode: 'enforce' },
      payments: { mode: 'off' },
      testing: { enabled: hasTestingTools },
    });
  });
});
