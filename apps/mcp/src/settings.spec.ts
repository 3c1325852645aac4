import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentAddressBook, localAddressBook } from '@yield-vault/agent-client';
import { testAccount, testKey } from '@yield-vault/testing';
import { ConfigError } from '@yield-vault/protocol';
import { readSettings } from './settings.js';

const key = testKey('agent');
const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const withKey = {
  PRIVATE_KEY: key,
  RPC_URL: 'http://127.0.0.1:8545',
  MAX_AMOUNT: '100 usdc, 0.5 WETH',
  MAX_DAILY: '200',
};

/** Problems of an environment, one a line. */
function problemsOf(env: NodeJS.ProcessEnv, transport: 'stdio' | 'http' = 'stdio'): string {
  try {
    readSettings(env, transport);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems.join('\n');
  }
  return '';
}

describe('readSettings', () => {
  it('default: no key, the local service, the shipped address book', () => {
    expect(readSettings({ PRIVATE_KEY: '', RPC_URL: '' }, 'http')).toEqual({
      serviceUrl: 'http://127.0.0.1:3000',
      rpcUrl: undefined,
      addressBook: agentAddressBook,
      key: undefined,
      payer: undefined,
      host: '127.0.0.1',
      port: 3003,
    });
  });

  it('default: a key with its limits', () => {
    const { key: settings } = readSettings(
      { ...withKey, ALLOWED_VAULTS: vault.toLowerCase(), XDG_STATE_HOME: '/state' },
      'stdio',
    );
    expect(settings).toMatchObject({
      rpcUrl: 'http://127.0.0.1:8545',
      maxAmounts: { USDC: '100', WETH: '0.5' },
      maxDaily: { USDC: '200' },
      stateFile: `/state/yield-vault/${testAccount('agent').address}.jsonl`,
      allowedVaults: [vault],
    });
  });

  it('behavior: an amount without a symbol is USDC', () => {
    expect(readSettings({ ...withKey, MAX_AMOUNT: '25' }, 'stdio').key?.maxAmounts).toEqual({ USDC: '25' });
  });

  it('behavior: the limit of gas is USDC, with a key or without', () => {
    expect(readSettings({ MAX_GAS_USDC: '12.5' }, 'http').maxGasUsdc).toBe(12_500_000n);
  });

  it('behavior: address books', () => {
    expect(readSettings({ ADDRESS_BOOK: 'local' }, 'stdio').addressBook).toBe(localAddressBook);
    const file = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'book.json');
    writeFileSync(file, JSON.stringify({ deployments: [], tokens: [] }));
    expect(readSettings({ ADDRESS_BOOK: file }, 'stdio').addressBook).toEqual(agentAddressBook);
  });

  it('error: a key over HTTP', () => {
    expect(problemsOf(withKey, 'http')).toMatch(/^PRIVATE_KEY: /);
    expect(problemsOf({ PAYER_KEY: key, MAX_PRICE: '1' }, 'http')).toMatch(/^PAYER_KEY: /);
  });

  it.each([
    ...['PRIVATE_KEY RPC_URL', 'PRIVATE_KEY MAX_AMOUNT', 'PRIVATE_KEY MAX_DAILY'],
    ...['MAX_AMOUNT PRIVATE_KEY', 'MAX_DAILY PRIVATE_KEY', 'STATE_FILE PRIVATE_KEY'],
    ...['ALLOWED_VAULTS PRIVATE_KEY', 'PAYER_KEY MAX_PRICE', 'MAX_PRICE PAYER_KEY'],
  ])('error: %s: one without the other', (pair) => {
    const [name = '', other = ''] = pair.split(' ');
    const limits = { STATE_FILE: '/x', ALLOWED_VAULTS: vault, PAYER_KEY: key, MAX_PRICE: '0.05' };
    expect(problemsOf({ ...withKey, ...limits, [other]: '' })).toMatch(
      new RegExp(`^${name}: .*${other}`, 'm'),
    );
  });

  it.each([
    ['SERVICE_URL', 'ftp://127.0.0.1'],
    ['RPC_URL', 'node'],
    ['MAX_AMOUNT', 'much'],
    ['MAX_AMOUNT', '-1 USDC'],
    ['MAX_AMOUNT', '1 USDC 2'],
    ['MAX_DAILY', '1e3'],
    ['MAX_PRICE', '$1'],
    ['ALLOWED_VAULTS', `${vault}, 0x12`],
    ['ADDRESS_BOOK', '/nowhere.json'],
    ['MAX_GAS_USDC', '12 USDC'],
    ['MAX_GAS_USDC', '0.0000001'],
    ['PORT', '70000'],
  ])('error: %s=%s', (name, value) => {
    expect(problemsOf({ ...withKey, [name]: value })).toMatch(new RegExp(`^${name}: `));
  });

  it.each([`${key.slice(0, -1)}`, `0x${'f'.repeat(64)}`])(
    'error: a wrong key, which is not quoted',
    (wrong) => {
      const problems = problemsOf({ ...withKey, PRIVATE_KEY: wrong });
      expect(problems).toMatch(/^PRIVATE_KEY: /);
      const payer = problemsOf({ PAYER_KEY: wrong, MAX_PRICE: '1' });
      expect(payer).toMatch(/^PAYER_KEY: /);
      expect(problems + payer).not.toContain(wrong.slice(2, 20));
    },
  );
});
