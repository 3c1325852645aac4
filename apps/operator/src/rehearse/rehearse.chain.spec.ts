import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import {
  createDifficultVaults,
  localAddresses,
  localRegistry,
  localVaults,
} from '@yield-vault/testing/local';
import { encodeFunctionData, erc20Abi, type Address } from 'viem';
import { runProgram } from '../run-program.js';

jest.setTimeout(120_000);

const chainId = 8453;
const reserve = 1_000_000_000n;
const sound = localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC')!;
const entryOf = (address: Address) => localRegistry().vaults.find((entry) => entry.address === address)!;

describe('rehearse', () => {
  let devnet: Devnet;
  let folder: string;
  let locked: Address;

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], bundlers: false, historyDays: 1, idleBlocks: false });
    const [chain] = devnet.chains;
    const vaults = createDifficultVaults(chain!);
    locked = await vaults.deployVault({ name: 'Locked' });
    await vaults.depositFor(locked, chain!.contracts.router, reserve);
    // The deposit can give the reserve away, the redeem cannot.
    const args = [chain!.contracts.router, reserve] as const;
    const give = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
    await vaults.change(locked, 'setAttack', [localAddresses[chainId].usdc, give, true]);
    folder = mkdtempSync(join(tmpdir(), 'yield-vault-rehearse-'));
    const entry = { ...entryOf(sound.address), address: locked, name: 'Locked', inceptBlock: undefined };
    const registry = { vaults: [entryOf(sound.address), entry] };
    writeFileSync(join(folder, 'registry.json'), JSON.stringify(registry));
    const deployment = {
      environment: 'local',
      database: { directory: join(folder, 'database') },
      discovery: { registryFile: './registry.json' },
      chains: {
        base: {
          chainId,
          rpcUrls: [chain!.rpcUrl],
          fork: { usdcMasterMinter: '0x00000000000000000000000000000000000a11ce' },
        },
      },
    };
    writeFileSync(join(folder, 'deployment.yaml'), JSON.stringify(deployment));
  });
  afterAll(async () => {
    await devnet?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(...args: readonly string[]) {
    const [out, notes]: [string[], string[]] = [[], []];
    const before = process.env['YIELD_VAULT_CONFIG'];
    process.env['YIELD_VAULT_CONFIG'] = join(folder, 'deployment.yaml');
    try {
      const io = {
        out: (text: string) => void out.push(text),
        note: (text: string) => void notes.push(text),
      };
      const code = await runProgram(io, ['rehearse', '--amount', '5', ...args]);
      return { code, out: out.join('\n'), notes: notes.join('\n') };
    } finally {
      if (before === undefined) delete process.env['YIELD_VAULT_CONFIG'];
      else process.env['YIELD_VAULT_CONFIG'] = before;
    }
  }

  it('default: deposits and redeems in each vault, and reports the one that cannot be left', async () => {
    const { code, out } = await run('--all');
    expect(code).toBe(1);
    const [header, good, bad] = out.split('\n').map((line) => line.split(/\s{2,}/));
    expect(header).toEqual(['CHAIN', 'VAULT', 'SHARES', 'USDC BACK', 'LOSS BPS', 'GAS USDC', 'RESULT']);
    expect(good).toEqual([
      'base',
      sound.address,
      expect.anything(),
      expect.anything(),
      expect.anything(),
      expect.anything(),
      'ok',
    ]);
    expect(Number(good![3])).toBeCloseTo(5, 4);
    expect(Number(good![4])).toBeLessThan(1);
    expect(Number(good![5])).toBeGreaterThan(0);
    expect(bad!.join(' ')).toMatch(/failed: redeem: .*exceeds balance|INSUFFICIENT/i);
  });

  it('error: names vaults that the deployment does not list, and moves nothing', async () => {
    const { code, notes } = await run('--vault', localAddresses[chainId].usdc);
    expect(code).toBe(2);
    expect(notes).toContain('no USDC vault of a chain');
  });

  it('error: sends nothing on the chain itself without a confirmation of the amount', async () => {
    const { code, notes } = await run('--all', '--real', 'http://127.0.0.1:1', '--confirm', '50');
    expect(code).toBe(2);
    expect(notes).toContain('--confirm 5');
  });
});
