import { resolve } from 'node:path';
import { createActiveChains } from '@yield-vault/chains';
import { RpcFailure, startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import type { Logger } from 'pino';
import { hexToBigInt, numberToHex, pad, type Hex } from 'viem';
import { loadConfig } from '../config/load-config.js';
import type { ChainProbe } from '../ports.js';
import { checkCallGas } from './check-call-gas.js';

const ok: ChainProbe = { blockNumber: 1, rpc: 'ok', bundler: 'ok' };
const down: ChainProbe = { blockNumber: null, rpc: 'down', bundler: 'ok' };

let node: FakeRpc;
let grant: (gas: bigint) => bigint;
beforeAll(async () => {
  node = await startFakeRpc({
    eth_chainId: () => '0x2105',
    eth_call: ([call]) => pad(numberToHex(grant(hexToBigInt((call as { readonly gas: Hex }).gas)))),
  });
});
afterAll(() => node.stop());

/** Probe Base, whose node answers as told, and list what the log says. */
async function probe(found: readonly ChainProbe[], key = 'base', onAnswer = () => {}) {
  const { deployment } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../config/local.yaml'),
    BASE_RPC_URL: node.rpcUrl,
    BASE_BUNDLER_URL: 'http://127.0.0.1:1',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
    ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:1',
  });
  const { base } = deployment.chains;
  const log: [string, object, string][] = [];
  const write = (level: string) => (facts: object, text: string) => log.push([level, facts, text]);
  const logger = { error: write('error'), warn: write('warn') } as unknown as Logger;
  const answers = [...found];
  const wallets = createActiveChains({ chains: { base: base! } });
  const check = checkCallGas(() => Promise.resolve(answers.shift()!), wallets, logger);
  for (const expected of found) {
    expect(await check(key)).toEqual(expected);
    onAnswer();
  }
  return log;
}

describe('checkCallGas', () => {
  it('default: a node that allows what prepare needs is not mentioned', async () => {
    grant = (gas) => gas;
    expect(await probe([ok])).toEqual([]);
  });

  it('behavior: a limit that the node keeps to itself is a warning with both numbers and the cure', async () => {
    grant = (gas) => (gas < 25_000_000n ? gas : 25_000_000n);
    expect(await probe([ok])).toEqual([
      [
        'warn',
        { chain: 'base', node: 1, neededGas: 44_000_000, grantedGas: 25_000_000 },
        expect.stringMatching(/allow 44000000 gas or more.*--rpc\.gascap/),
      ],
    ]);
  });

  it('behavior: a node that refuses the call is an error: nothing can be prepared', async () => {
    grant = (gas) => {
      if (gas > 30_000_000n) throw new RpcFailure(-32000, 'gas limit too high');
      return gas;
    };
    expect(await probe([ok])).toEqual([
      [
        'error',
        { chain: 'base', node: 1, neededGas: 44_000_000, grantedGas: 22_000_000 },
        expect.stringMatching(/prepare cannot read.*--rpc\.gascap/),
      ],
    ]);
  });

  it('behavior: it is found out once, as soon as the chain answers', async () => {
    grant = () => 1n;
    const asked = node.calls.length;
    expect(await probe([down, down])).toEqual([]);
    expect(node.calls).toHaveLength(asked);
    expect(await probe([down, ok, ok])).toHaveLength(1);
  });

  it('behavior: a node that is gone again is asked another time', async () => {
    grant = () => 1n;
    node.setFault('cut');
    const log = await probe([ok, ok], 'base', () => node.setFault(undefined));
    expect(log).toMatchObject([['warn', { node: 1, grantedGas: 1 }, expect.any(String)]]);
  });

  it('behavior: chains on which no wallet acts are left alone', async () => {
    grant = () => 1n;
    expect(await probe([ok], 'ethereum')).toEqual([]);
  });
});
