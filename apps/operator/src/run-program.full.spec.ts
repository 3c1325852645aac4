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
import { createTestClient, http, numberToHex, pad, zeroHash } from 'viem';
import { createDatabaseSnapshotStore, parseRegistry, type RegistryEntry } from '@yield-vault/vault-discovery';
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

  it('behavior: names stale facts', async () => {
    const file = join(folder, 'stale.json');
    const evidence = [{ facts: ['audits', 'assetClass'], source: 'a report', date: '2020-01-01' }];
    const [entry] = localRegistry().vaults.filter(({ address }) => address === vaultOf('steady').address);
    writeFileSync(
      file,
      JSON.stringify({ vaults: [{ ...entry, facts: { audits: 2, assetClass: 'native' }, evidence }] }),
    );
    const { code, notes } = await run('vaults', 'check', ...rpc(), '--registry', file);
    expect(code).toBe(0);
    expect(notes).toMatch(/STALE ON .*\nbase .* audits$/m);
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

describe('vaults propose', () => {
  const recordings = join(__dirname, '../../../libs/vault-discovery/test/fixtures');
  const steady = vaultOf('steady');
  const paused = vaultOf('paused');
  const impostor = vaultOf('impostor');
  const frozen = vaultOf('frozen');
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

  interface Proposal {
    readonly why: readonly string[];
    readonly missing: readonly string[];
    readonly exitPercent: number | null;
    readonly entry: RegistryEntry;
  }
  const propose = async (...args: readonly string[]) => {
    const { code, out, notes } = await run('vaults', 'propose', ...rpc(), ...args);
    const { proposals = [] } = (out ? JSON.parse(out) : {}) as { readonly proposals?: readonly Proposal[] };
    return {
      code,
      notes,
      proposals,
      of: (address: string) => proposals.find(({ entry }) => entry.address === address),
    };
  };

  it('default: proposes unknown vaults as candidates, and changes nothing before --write', async () => {
    const file = writeRegistry([steady.address]);
    const before = readRegistry(file);
    const args = ['--registry', file, '--morpho', url, '--llama', url];
    const { code, notes, of } = await propose(...args);
    expect(code).toBe(1);
    expect(notes).toMatch(/base: 1 of \d+ unknown addresses are vaults/);
    const proposal = of(steady.address)!;
    expect(proposal).toMatchObject({
      why: ['new'],
      missing: ['admin', 'audits', 'curator', 'strategy', 'assetClass', 'oracle'],
      exitPercent: 100,
      entry: {
        name: steady.name,
        protocol: 'morpho',
        asset: { symbol: 'USDC', address: chainFacts(chainId).usdc.address, decimals: 6 },
        status: 'candidate',
        curatorName: 'Steakhouse Financial',
        llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
        // Another vault of the local chain has this name.
        flags: ['warning:market-bad_debt_unrealized', 'impostor-name'],
        sources: ['chain:base', 'morpho', 'defillama-yields'],
      },
    });
    expect(readRegistry(file)).toEqual(before);

    expect((await propose(...args, '--write')).code).toBe(1);
    expect(readRegistry(file)).toEqual([...before, parseRegistry({ vaults: [proposal.entry] })[0]]);
    expect((await propose(...args)).of(steady.address)).toBeUndefined();
  });

  it('behavior: reports a vault that left a list, and those that nobody can enter or leave', async () => {
    const file = join(folder, 'listed.json');
    const list = join(folder, 'acme.ts');
    const sources = ['github:acme/address-book@1:acme.ts'];
    const entries = localRegistry().vaults.filter(({ address }) =>
      [steady, paused, impostor, frozen].some((vault) => vault.address === address),
    );
    writeFileSync(file, JSON.stringify({ vaults: entries.map((entry) => ({ ...entry, sources })) }));
    writeFileSync(
      list,
      `VAULT = '${paused.address.toLowerCase()}', TOKEN = '${chainFacts(chainId).usdc.address}'`,
    );
    const { code, notes, of } = await propose(
      ...['--registry', file, '--list', `acme/address-book=${list}`, '--list', `own=${impostor.address}`],
    );
    expect(code).toBe(1);
    expect(notes).toContain('0 of 1 unknown addresses are vaults');
    expect(of(steady.address)!.why).toEqual(['left acme/address-book']);
    expect(of(paused.address)!.why).toEqual(['capability:paused', 'exit-unknown']);
    expect(of(frozen.address)!.why).toEqual(['left acme/address-book', 'no-exit']);
    expect(of(frozen.address)!.exitPercent).toBe(0);
  });

  it('behavior: takes over a fact that changed on the chain, with its evidence', async () => {
    const file = writeRegistry([mislabelled]);
    const [adminSlot, word] = [
      '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
      pad(numberToHex(0xabc), { size: 32 }),
    ] as const;
    const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
    await client.setStorageAt({ address: steady.address, index: adminSlot, value: word });
    const check = await run('vaults', 'check', ...rpc(), '--registry', file);
    const { of } = await propose('--registry', file, '--write');
    await client.setStorageAt({ address: steady.address, index: adminSlot, value: zeroHash });
    expect(check.notes).toMatch(new RegExp(`CHANGED ON .*\\nbase +${steady.address} .* admin$`, 'm'));
    const { why, entry } = of(steady.address)!;
    expect(why).toEqual(['admin changed']);
    expect(entry.facts).toEqual({ ...steady.facts, admin: 'eoa' });
    const date = new Date().toISOString().slice(0, 10);
    expect(entry.evidence!.at(-1)).toEqual({ facts: ['admin'], source: 'chain:base', date });
    expect(entry.evidence![0]!.facts).not.toContain('admin');
    expect(readRegistry(file).find(({ address }) => address === steady.address)).toEqual(entry);
  });

  it('behavior: a registry that agrees with everything needs no review', async () => {
    const file = join(folder, 'fine.json');
    const entries = localRegistry().vaults.filter(({ address }) => address === steady.address);
    writeFileSync(file, JSON.stringify({ vaults: entries }));
    const { code, proposals } = await propose('--registry', file, '--list', `own=${steady.address}`);
    expect({ code, proposals }).toEqual({ code: 0, proposals: [] });
  });

  it('attack: a chain key that is mistyped changes nothing', async () => {
    const file = writeRegistry([]);
    const before = readFileSync(file, 'utf8');
    const args = ['--registry', file, '--list', `own=${steady.address}`, '--write'];
    const { code, notes } = await run('vaults', 'propose', '--rpc', `typo=${anvil.rpcUrl}`, ...args);
    expect({ code, notes }).toEqual({
      code: 2,
      notes: expect.stringContaining(`calls chain ${chainId} base, not typo`),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('attack: a contract that takes all gas does not end it', async () => {
    const bomb = vaultOf('gas-bomb');
    const file = writeRegistry([bomb.address, steady.address]);
    const lists = [bomb, steady].flatMap(({ address }) => ['--list', `own-${address}=${address}`]);
    const { code, of } = await propose('--registry', file, ...lists);
    expect(code).toBe(1);
    expect(of(steady.address)).toBeDefined();
  });

  it('error: a shipped registry is not written', async () => {
    const { code, notes } = await propose('--write');
    expect({ code, notes }).toEqual({ code: 2, notes: expect.stringContaining('--registry <file>') });
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
