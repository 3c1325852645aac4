import { RpcFailure, startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import { hexToBigInt, numberToHex, pad, type Hex } from 'viem';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains } from './active-chains.js';
import { createCallGasCheck } from './check-call-gas.js';

let node: FakeRpc;
let grant: (gas: bigint) => bigint;
beforeAll(async () => {
  node = await startFakeRpc({
    eth_chainId: () => '0x2105',
    eth_call: ([call]) => pad(numberToHex(grant(hexToBigInt((call as { readonly gas: Hex }).gas)))),
  });
});
afterAll(() => node.stop());

/** Check Base so many times, and list the log lines. */
async function check(times: number, key = 'base', afterEach = () => {}) {
  const log: [string, object, string][] = [];
  const write = (level: string) => (facts: object, text: string) => void log.push([level, facts, text]);
  const base = buildChainConfig({ rpcUrls: [node.rpcUrl] });
  const wallets = createActiveChains({ chains: { base } });
  const checkCallGas = createCallGasCheck(wallets, 44_000_000n, {
    error: write('error'),
    warn: write('warn'),
  });
  for (let index = 0; index < times; index++) {
    await checkCallGas(key);
    afterEach();
  }
  return log;
}

describe('createCallGasCheck', () => {
  it('default: a node that allows enough gas for prepare is not mentioned', async () => {
    grant = (gas) => gas;
    expect(await check(1)).toEqual([]);
  });

  it('behavior: a limit that the node hides is a warning with both numbers and the cure', async () => {
    grant = (gas) => (gas < 25_000_000n ? gas : 25_000_000n);
    expect(await check(1)).toEqual([
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
    expect(await check(1)).toEqual([
      [
        'error',
        { chain: 'base', node: 1, neededGas: 44_000_000, grantedGas: 22_000_000 },
        expect.stringMatching(/prepare cannot read.*--rpc\.gascap/),
      ],
    ]);
  });

  it('behavior: each chain is checked once', async () => {
    grant = () => 1n;
    expect(await check(3)).toHaveLength(1);
  });

  it('behavior: a node that is down is checked again', async () => {
    grant = () => 1n;
    node.setFault('cut');
    const log = await check(2, 'base', () => node.setFault(undefined));
    expect(log).toMatchObject([['warn', { node: 1, grantedGas: 1 }, expect.any(String)]]);
  });

  it('behavior: chains on which no wallet acts are not checked', async () => {
    grant = () => 1n;
    expect(await check(1, 'ethereum')).toEqual([]);
  });
});
