import { chainFacts } from '@yield-vault/contracts';
import { openDatabase } from '@yield-vault/database';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { localRegistry, localVaults, provisionLocalChain } from '@yield-vault/testing/local';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClient, http, numberToHex } from 'viem';
import { createDatabaseSnapshotStore, parseRegistry } from '@yield-vault/vault-discovery';
import { runProgram } from './run-program.js';

jest.setTimeout(120_000);

const main = join(__dirname, '../dist/main.js');
const chainId = 8453;
const vaults = localVaults[chainId];
const addressOf = (id: number) => numberToHex(id, { size: 20 });
const vaultOf = (kind: string) => vaults.find((vault) => vault.kind === kind)!;

interface Run {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Run the command in this process: starting another one takes longer than all that it does. */
async function run(...args: readonly string[]): Promise<Run> {
  const [out, notes]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void out.push(`${text}\n`),
    note: (text: string) => void notes.push(`${text}\n`),
  };
  const code = await runProgram(io, args);
  return { code, out: out.join(''), notes: notes.join('') };
}

/** Run it as a process of its own, without anything of this one's environment. */
function runProcess(...args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env: {} }, (error, out, notes) =>
      resolve({ code: error ? Number(error.code) : 0, out, notes }),
    );
  });
}

let anvil: Anvil;
let folder: string;
beforeAll(async () => {
  if (!existsSync(main)) throw new Error('Build first: npx nx build operator');
  folder = mkdtempSync(join(tmpdir(), 'yield-vault-cli-'));
  anvil = await startAnvil({ chainId });
  await provisionLocalChain(
    createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }) as never,
    chainId,
  );
});
afterAll(async () => {
  await anvil?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Write the registry of the local chains without some vaults. */
function writeRegistry(without: readonly string[] = []): string {
  const file = join(folder, 'registry.json');
  const kept = localRegistry().vaults.filter(({ address }) => !without.includes(address));
  writeFileSync(file, JSON.stringify({ vaults: kept }, null, 2));
  return file;
}
const readRegistry = (file: string) => parseRegistry(JSON.parse(readFileSync(file, 'utf8')));
const rpc = () => ['--rpc', `base=${anvil.rpcUrl}`];
const mislabelled = vaultOf('mislabelled').address;

describe('vaults list', () => {
  it('default: the active vaults that the library ships', async () => {
    const { code, out, notes } = await runProcess('vaults', 'list');
    expect({ code, notes }).toEqual({ code: 0, notes: '139 vaults\n' });
    expect(out.trim().split('\n')).toHaveLength(140);
  });

  it('behavior: filters by chain and asset, candidates on request, as a registry file', async () => {
    const filters = ['--chain', 'base', '--asset', 'usdc', '--json'];
    const active = parseRegistry(JSON.parse((await run('vaults', 'list', ...filters)).out));
    expect(active.length).toBeGreaterThan(10);
    expect(new Set(active.map(({ chain, asset }) => `${chain} ${asset.symbol}`))).toEqual(
      new Set(['base USDC']),
    );
    const all = parseRegistry(JSON.parse((await run('vaults', 'list', ...filters, '--candidates')).out));
    expect(all.length).toBeGreaterThan(active.length);
  });

  it('behavior: ends quietly when its reader has seen enough', async () => {
    const child = spawn(process.execPath, [main, 'vaults', 'list', '--candidates', '--json'], { env: {} });
    let notes = '';
    child.stderr.on('data', (text: Buffer) => (notes += text.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, notes }).toEqual({ code: 0, notes: '' });
  });

  it('error: a registry file with mistakes lists all of them', async () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, JSON.stringify({ vaults: [{ chainId: 0, address: '0x1' }] }));
    const { code, notes } = await run('vaults', 'list', '--registry', file);
    expect(code).toBe(2);
    expect(notes).toContain('vaults.0.chainId');
    expect(notes).toContain('vaults.0.address');
  });
});

describe('vaults check', () => {
  it('default: a registry that the chain confirms', async () => {
    const { code, out, notes } = await run(
      'vaults',
      'check',
      ...rpc(),
      '--registry',
      writeRegistry([mislabelled]),
    );
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(notes).toContain('ethereum: left out, it has no --rpc');
    expect(notes).toMatch(/base: (\d+) of \1 vaults checked/);
    expect(notes).toMatch(/ 0 rejected/);
  });

  it('behavior: prints rejected entries with reasons, and sets its exit code', async () => {
    const file = writeRegistry();
    const { code, out } = await runProcess('vaults', 'check', ...rpc(), '--registry', file);
    expect(code).toBe(1);
    expect(out).toContain(mislabelled);
    expect(out).toContain(`asset() is ${chainFacts(chainId).wrappedNative.address}`);
    const json = JSON.parse((await run('vaults', 'check', ...rpc(), '--registry', file, '--json')).out) as {
      rejected: object[];
    };
    expect(json.rejected).toEqual([
      { chain: 'base', address: mislabelled, name: vaultOf('mislabelled').name, reason: expect.any(String) },
    ]);
  });

  it('error: a node of another chain', async () => {
    const { code, notes } = await run('vaults', 'check', '--rpc', `ethereum=${anvil.rpcUrl}`);
    expect(code).toBe(2);
    expect(notes).toContain('the RPC of ethereum serves chain 8453, and ethereum is chain 1');
  });

  it('error: a node that is down rejects nothing, and its URL is not printed', async () => {
    const url = 'http://127.0.0.1:1/secret';
    const { code, out, notes } = await run('vaults', 'check', '--rpc', `base=${url}`);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(notes).toContain('connection failed');
    expect(notes).not.toContain('secret');
  });

  it.each([
    ['no RPC at all', [], /required option/],
    ['an RPC without chain', ['--rpc', 'http://127.0.0.1:1'], /<chain>=<url>/],
    ['a chain that the registry does not have', ['--rpc', 'solana=http://127.0.0.1:1'], /no vault on solana/],
  ])('error: %s', async (_, args, text) => {
    const { code, notes } = await run('vaults', 'check', ...args);
    expect(code).toBe(2);
    expect(notes).toMatch(text);
  });
});

describe('vaults add', () => {
  const steady = vaultOf('steady');

  it('default: prints the entry from the chain’s facts', async () => {
    const { code, out } = await run('vaults', 'add', 'base', steady.address.toLowerCase(), ...rpc());
    expect(code).toBe(0);
    expect(parseRegistry({ vaults: [JSON.parse(out)] })).toMatchObject([
      {
        ...{ chainId, chain: 'base', address: steady.address, name: steady.name, facts: {}, flags: [] },
        asset: { symbol: 'USDC', address: chainFacts(chainId).usdc.address, decimals: 6 },
        sources: ['chain:base'],
      },
    ]);
  });

  it('behavior: appends to a registry file, which the chain then confirms', async () => {
    const file = writeRegistry([steady.address, mislabelled]);
    const before = readRegistry(file);
    const added = await run(
      'vaults',
      'add',
      'base',
      steady.address,
      ...rpc(),
      '--registry',
      file,
      '--protocol',
      'Acme',
    );
    expect(added.code).toBe(0);
    const after = readRegistry(file);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ address: steady.address, protocol: 'Acme', status: 'candidate' });
    expect((await run('vaults', 'check', ...rpc(), '--registry', file, '--candidates')).code).toBe(0);
  });

  it('behavior: warns of a vault that bears the name of another one', async () => {
    const impostor = vaultOf('impostor');
    const file = writeRegistry([impostor.address]);
    const { code, notes } = await run(
      'vaults',
      'add',
      'base',
      impostor.address,
      ...rpc(),
      '--registry',
      file,
    );
    expect(code).toBe(0);
    expect(notes).toContain('it will not be offered: impostor-name');
    expect(readRegistry(file).at(-1)!.flags).toEqual(['impostor-name']);
  });

  it('error: a vault that is in the registry already leaves the file alone', async () => {
    const file = writeRegistry();
    const before = readFileSync(file, 'utf8');
    const { code, notes } = await run('vaults', 'add', 'base', steady.address, ...rpc(), '--registry', file);
    expect(code).toBe(2);
    expect(notes).toContain('is in the registry already');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('error: an address without a vault', async () => {
    const { code, notes } = await run('vaults', 'add', 'base', chainFacts(chainId).usdc.address, ...rpc());
    expect(code).toBe(2);
    expect(notes).toContain('is no ERC-4626 vault');
  });

  it('error: a malformed address', async () => {
    const { code, notes } = await run('vaults', 'add', 'base', '0x12', ...rpc());
    expect(code).toBe(2);
    expect(notes).toContain('40 hex digits');
  });
});

describe('vaults collect', () => {
  const recordings = join(__dirname, '../../../libs/vault-discovery/test/fixtures');
  const steady = vaultOf('steady');
  /** A recorded response; the vault that it names stands on the local chain, the others do not. */
  const recorded = (name: string) =>
    readFileSync(join(recordings, name), 'utf8').replaceAll(
      /0xbeef010f9cb27031ad51e3333f9af9c6b1228183/gi,
      steady.address,
    );
  const service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const files: Record<string, string> = {
        '/pools': 'llama-pools',
        '/tokenAddress': 'llama-token-address',
      };
      const version = body.includes('vaultV2s') ? 'v2' : 'v1';
      const ofMorpho = { v1: 'morpho-vaults', v2: 'morpho-vault-v2s' };
      response.end(recorded(`${files[request.url!] ?? ofMorpho[version]}.json`));
    });
  });
  let url: string;
  beforeAll(async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  });
  afterAll(() => void service.close());

  it('default: appends unknown vaults as candidates, changes nothing else, finds them once, and checks the others', async () => {
    const file = writeRegistry([steady.address]);
    const before = readRegistry(file);
    const collect = () =>
      run('vaults', 'collect', ...rpc(), '--registry', file, '--morpho', url, '--llama', url);
    const { code, out, notes } = await collect();
    expect(notes).toContain(`base: new ${steady.address}`);
    // The chain contradicts it.
    expect([code, out]).toEqual([1, expect.stringContaining(mislabelled)]);
    const after = readRegistry(file);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({
      address: steady.address,
      name: steady.name,
      status: 'candidate',
      curatorName: 'Steakhouse Financial',
      llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
      facts: {},
      // Another vault of the local chain has this name.
      flags: ['warning:market-bad_debt_unrealized', 'impostor-name'],
      sources: ['chain:base', 'morpho', 'defillama-yields'],
    });
    const text = readFileSync(file, 'utf8');
    expect((await collect()).notes).not.toContain('new');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

(isPostgresReachable() ? it : it.skip)('migrate: prints the migrations that it ran', async () => {
  const { url, drop } = await createTemporaryPostgres();
  const migrate = () => run('migrate', '--database', url);
  expect((await migrate()).out).toMatch(/^\d+ migrations ran\n0001-initial\n/);
  expect((await migrate()).out).toBe('0 migrations ran\n');
  await drop();
});

(isPostgresReachable() ? describe : describe.skip)('discard-chain', () => {
  it('default: deletes the data of one chain, and only when it is confirmed', async () => {
    const { url, drop } = await createTemporaryPostgres();
    const database = await openDatabase({ url });
    const store = createDatabaseSnapshotStore(database);
    const ids = await store.register(
      [chainId, 1].map((id) => ({ vaultId: String(id), chainId: id, address: addressOf(id) })),
    );
    const snapshot = {
      t: 1_790_000_000,
      block: 1n,
      sharePrice: 1n,
      totalAssets: 1n,
      totalSupply: 1n,
      priceUsd: 1,
      priceSource: 0,
      origin: 0,
    } as const;
    const vaultOn = (id: number) => ids.get(String(id))!;
    for (const id of [chainId, 1]) {
      await store.save(
        [{ ...snapshot, vault: vaultOn(id) }],
        [{ vault: vaultOn(id), from: 0, until: 3_600 }],
      );
      await store.setAnchor(id, { block: 7n, hash: numberToHex(7, { size: 32 }) });
      const followed = { chain_id: id, address: addressOf(id).toLowerCase(), first_block: 7n };
      await database.db.insertInto('followed_contract').values(followed).execute();
    }
    const left = async (id: number) => [
      (await store.coverage([vaultOn(id)])).length,
      (await store.anchor(id))?.block,
      (
        await database.db
          .selectFrom('followed_contract')
          .select('address')
          .where('chain_id', '=', BigInt(id))
          .execute()
      ).length,
    ];
    const discard = (...args: readonly string[]) => run('discard-chain', '--database', url, ...args);

    for (const refused of [[`${chainId}`], [`${chainId}`, '--confirm', '1'], ['10', '--confirm', '10']])
      expect((await discard(...refused)).code).toBe(2);
    expect((await discard('base')).notes).toContain('chain id');
    expect(await left(chainId)).toEqual([1, 7n, 1]);

    const { code, out } = await discard(`${chainId}`, '--confirm', `${chainId}`);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('1 hourly') as string });
    expect(await left(chainId)).toEqual([0, undefined, 0]);
    expect(await left(1)).toEqual([1, 7n, 1]);
    await database.close();
    await drop();
  });
});

(isPostgresReachable() ? describe : describe.skip)('pause, resume and cap', () => {
  it('default: store what servers follow, and print what holds', async () => {
    const { url, drop } = await createTemporaryPostgres();
    const database = await openDatabase({ url });
    const store = createDatabaseSnapshotStore(database);
    await store.register([{ vaultId: '906', chainId, address: addressOf(1) }]);
    const limit = (...args: readonly string[]) => run(...args, '--database', url);
    const held = async () =>
      (
        await database.db.selectFrom('deposit_limit').selectAll().orderBy('kind').orderBy('scope').execute()
      ).map(({ kind, scope, limit_usd, reason }) => [kind, scope, limit_usd, reason]);
    expect((await limit('pause', '--reason', 'an incident')).out).toContain('an incident');
    expect((await limit('pause', '--vault', '906')).code).toBe(0);
    expect((await limit('cap', '--wallet', '100.50', '--total', '5000')).code).toBe(0);
    expect(await held()).toEqual([
      ['cap', 'total', 5_000, ''],
      ['cap', 'wallet', 100.5, ''],
      ['pause', 'deposits', 0, 'an incident'],
      ['pause', 'vault:906', 0, ''],
    ]);
    expect((await limit('resume', '--reason', 'over')).code).toBe(2);
    expect((await limit('resume')).code).toBe(0);
    expect((await limit('cap', '--total', 'none')).code).toBe(0);
    expect((await held()).map(([, scope]) => scope)).toEqual(['wallet', 'vault:906']);

    // A typing error would stop nothing.
    for (const wrong of [
      ['pause', '--chain', 'bse'],
      ['pause', '--vault', '907'],
      ['pause', '--vault', '906', '--chain', 'base'],
      ['cap', '--total', '-1'],
      ['cap', '--total', '1e3'],
    ])
      expect((await limit(...wrong)).code).toBe(2);
    expect(await held()).toHaveLength(2);
    expect((await limit('limits')).out).toContain('100.5');
    await database.close();
    await drop();
  });
});
