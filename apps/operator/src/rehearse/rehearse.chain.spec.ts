import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import { anvilKey } from '@yield-vault/testing';
import {
  createDifficultVaults,
  localAddresses,
  localRegistry,
  localVaults,
} from '@yield-vault/testing/local';
import { encodeFunctionData, erc20Abi, type Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { runProgram } from '../run-program.js';

jest.setTimeout(120_000);

const chainId = 8453;
const reserve = 1_000_000_000n;
const key = anvilKey(3);
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
    await vaults.depositFor(locked, privateKeyToAddress(key), 1n);
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
    process.env['YIELD_VAULT_CONFIG'] = join(folder, 'deployment.yaml');
    writeFileSync(process.env['YIELD_VAULT_CONFIG'], JSON.stringify(deployment));
  });
  afterAll(async () => {
    delete process.env['YIELD_VAULT_CONFIG'];
    await devnet?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(...args: readonly string[]) {
    const lines: string[] = [];
    const io = {
      out: (text: string) => void lines.push(text),
      note: (text: string) => void lines.push(text),
    };
    const code = await runProgram(io, ['rehearse', '--amount', '5', ...args]);
    return { code, text: lines.join('\n') };
  }

  it('default: deposits and redeems in each vault, and reports the one that cannot be left', async () => {
    const { code, text } = await run('--all');
    expect(code).toBe(1);
    const [good = '', bad = ''] = text.split('\n').slice(-2);
    const [, vault, , back, loss, gas, result] = good.split(/\s{2,}/);
    expect([vault, result]).toEqual([sound.address, 'ok']);
    expect(Number(back)).toBeCloseTo(5, 4);
    expect(Number(loss)).toBeLessThan(1);
    expect(Number(gas)).toBeGreaterThan(0);
    expect(bad).toMatch(/failed: redeem: .*exceeds balance|INSUFFICIENT/i);
  });

  it('error: names vaults that the deployment does not list, and moves nothing', async () => {
    const { code, text } = await run('--vault', localAddresses[chainId].usdc);
    expect([code, text]).toEqual([2, expect.stringContaining('no USDC vault of a chain')]);
  });

  it('error: sends nothing on the chain itself without a confirmation of the amount', async () => {
    const { code, text } = await run('--all', '--real', 'http://127.0.0.1:1', '--confirm', '50');
    expect([code, text]).toEqual([2, expect.stringContaining('--confirm 5')]);
  });

  it('error: on the chain itself, it spares shares that the wallet held before, and stops at the first failure', async () => {
    const real = ['--real', 'http://127.0.0.1:1', '--confirm', '5'];
    process.env['REHEARSE_KEY_FILE'] = join(folder, 'key');
    writeFileSync(process.env['REHEARSE_KEY_FILE'], key);
    const held = await run('--vault', locked, ...real);
    expect([held.code, held.text]).toEqual([1, expect.stringContaining('already holds shares')]);
    const all = await run('--all', ...real);
    expect(all.text.match(/failed: /g)).toHaveLength(1);
    delete process.env['REHEARSE_KEY_FILE'];
  });
});
