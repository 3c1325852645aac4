import { setTimeout as pause } from 'node:timers/promises';
import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import { deploySuite, localPaymasterOwner, suite } from '@yield-vault/contracts';
import { activeBase } from '@yield-vault/devnet';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { anvilKey, startAnvil, type Anvil } from '@yield-vault/testing';
import type { Logger } from 'pino';
import { createWalletClient, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createSuiteFaults } from './suite-faults.js';

jest.setTimeout(60_000);

let anvil: Anvil;
beforeEach(async () => {
  anvil = await startAnvil({ chainId: 8453 });
});
afterEach(() => anvil.stop());

function watch(chain: ActiveChain) {
  const wallets = { find: (key: string) => (key === chain.key ? chain : undefined) } as ActiveChains;
  const log: [string, object][] = [];
  const write = (level: string) => (facts: object) => log.push([level, facts]);
  const logger = { error: write('error'), warn: write('warn') } as unknown as Logger;
  return { log, suiteFaults: createSuiteFaults(wallets, logger, 0) };
}

function deploy(
  { rpc }: ActiveChain,
  funds: { paymasterDepositWei?: bigint; paymasterStakeWei?: bigint } = {},
) {
  const account = privateKeyToAccount(anvilKey(0));
  expect(account.address).toBe(localPaymasterOwner);
  return deploySuite(createWalletClient({ account, transport: http(anvil.rpcUrl) }), rpc, funds);
}

describe('createSuiteFaults', () => {
  it('default: nothing where the suite is deployed and its paymaster is funded, and no second look', async () => {
    const chain = activeBase(anvil);
    await deploy(chain, { paymasterDepositWei: parseEther('1'), paymasterStakeWei: parseEther('1') });
    const { log, suiteFaults } = watch(chain);
    expect(await suiteFaults('base')).toEqual([]);
    await anvil.stop();
    expect(await suiteFaults('base')).toEqual([]);
    expect(log).toEqual([]);
  });

  it('behavior: what is missing is an error in the log, once, and looked for again until it is there', async () => {
    const chain = activeBase(anvil);
    const { log, suiteFaults } = watch(chain);
    const missing = [
      { contract: 'entryPoint', address: chain.entryPoint, status: 'missing' },
      { contract: 'account', address: suite.account, status: 'missing' },
      { contract: 'validator', address: suite.validator, status: 'missing' },
      { contract: 'paymaster', address: suite.paymaster, status: 'missing' },
      { contract: 'executor', address: suite.executor, status: 'missing' },
    ];
    for (let looks = 0; looks < 2; looks++) {
      expect(await suiteFaults('base')).toMatchObject(missing);
      await pause(1);
    }
    expect(log).toEqual([['error', { chain: 'base', contracts: missing }]]);

    await deploy(chain);
    expect(await suiteFaults('base')).toEqual([]);
    const facts = { chain: 'base', paymaster: suite.paymaster };
    expect(log.slice(1)).toEqual([
      ['warn', { ...facts, depositWei: '0' }],
      ['warn', facts],
    ]);
  });

  it('behavior: other code at the address of a contract is a fault', async () => {
    const chain = activeBase(anvil);
    await deploy(chain);
    await chain.rpc.request({ method: 'anvil_setCode', params: [suite.executor, '0x00'] } as never);
    expect(await watch(chain).suiteFaults('base')).toMatchObject([
      { contract: 'executor', status: 'mismatch' },
    ]);
  });

  it('behavior: managed forks, and chains on which no wallet acts, are left alone', async () => {
    const { log, suiteFaults } = watch({ ...activeBase(anvil), relayMode: 'managed-fork' });
    expect(await suiteFaults('base')).toEqual([]);
    expect(await suiteFaults('ethereum')).toEqual([]);
    expect(log).toEqual([]);
  });

  it('error: UpstreamUnavailableError while the node is down, and the next call asks again', async () => {
    const dead = activeBase({ rpcUrl: 'http://127.0.0.1:1' });
    const { rpc } = dead;
    const chain = { ...dead, rpc };
    const { suiteFaults } = watch(chain);
    const error: unknown = await suiteFaults('base').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect((error as UpstreamUnavailableError).details).toEqual({ dependency: 'rpc:base' });
    const alive = activeBase(anvil);
    await deploy(alive);
    Object.assign(chain, { rpc: alive.rpc });
    expect(await suiteFaults('base')).toEqual([]);
  });
});
