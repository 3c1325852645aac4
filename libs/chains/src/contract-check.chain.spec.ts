import { setTimeout as pause } from 'node:timers/promises';
import {
  deployContracts,
  localContracts,
  localPaymasterOwner,
  walletContracts,
} from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { anvilKey, startAnvil, type Anvil } from '@yield-vault/testing';
import { placeLocalContracts } from '@yield-vault/testing/local';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains, type ActiveChain } from './active-chains.js';
import { createContractCheck } from './contract-check.js';

jest.setTimeout(60_000);

let anvil: Anvil;
beforeEach(async () => {
  anvil = await startAnvil({ chainId: 8453 });
  await placeLocalContracts(chainAt().rpc, 8453);
});
afterEach(() => anvil.stop());

const chainAt = (rpcUrl = anvil.rpcUrl): ActiveChain =>
  createActiveChains({ chains: { base: buildChainConfig({ rpcUrls: [rpcUrl] }) } }).require('base');

function checkOf(chain: ActiveChain) {
  const log: object[] = [];
  const find = (key: string) => (key === chain.key ? chain : undefined);
  return { log, check: createContractCheck({ find }, { error: (facts) => log.push(facts) }, 0) };
}

function deploy({ rpc }: ActiveChain) {
  const account = privateKeyToAccount(anvilKey(0));
  const wallet = createWalletClient({ account, transport: http(anvil.rpcUrl) });
  return deployContracts(wallet, rpc, { paymaster: { owner: localPaymasterOwner } });
}

describe('createContractCheck', () => {
  it('default: no fault when contracts are deployed and no second check', async () => {
    const chain = chainAt();
    await deploy(chain);
    const { log, check } = checkOf(chain);
    expect(await check.faults('base')).toEqual([]);
    await anvil.stop();
    expect(await check.faults('base')).toEqual([]);
    await expect(check.require('base')).resolves.toBeUndefined();
    expect(log).toEqual([]);
  });

  it('behavior: missing contracts are logged once, and checked again until they are deployed', async () => {
    const chain = chainAt();
    const { log, check } = checkOf(chain);
    const missing = [
      { contract: 'entryPoint', address: chain.entryPoint, status: 'missing' },
      { contract: 'validator', address: walletContracts.validator, status: 'missing' },
      { contract: 'executor', address: walletContracts.executor, status: 'missing' },
      { contract: 'account', address: walletContracts.account, status: 'missing' },
      { contract: 'router', address: walletContracts.router, status: 'missing' },
      { contract: 'paymaster', address: localContracts(8453).paymaster, status: 'missing' },
    ];
    for (let checks = 0; checks < 2; checks++) {
      expect(await check.faults('base')).toMatchObject(missing);
      await pause(1);
    }
    expect(log).toEqual([{ chain: 'base', contracts: missing }]);

    await deploy(chain);
    expect(await check.faults('base')).toEqual([]);
    expect(log).toHaveLength(1);
  });

  it('error: UpstreamUnavailableError instead of a setup, with each contract and its address', async () => {
    const chain = chainAt();
    await deploy(chain);
    await chain.rpc.request({ method: 'anvil_setCode', params: [walletContracts.executor, '0x00'] } as never);
    const { check } = checkOf(chain);
    expect(await check.faults('base')).toMatchObject([{ contract: 'executor', status: 'mismatch' }]);
    const error: unknown = await check.require('base').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({
      detail: expect.stringContaining(`executor mismatch at ${walletContracts.executor}`) as string,
      details: { dependency: 'contracts:base', contracts: { executor: 'mismatch' } },
      retryAfterSeconds: 60,
    });
  });

  it('behavior: skips managed forks and chains on which no wallet acts', async () => {
    const { log, check } = checkOf({ ...chainAt(), relayMode: 'managed-fork' });
    expect(await check.faults('base')).toEqual([]);
    expect(await check.faults('ethereum')).toEqual([]);
    expect(log).toEqual([]);
  });

  it('error: UpstreamUnavailableError while the node is down; the next call checks again', async () => {
    const chain = { ...chainAt('http://127.0.0.1:1') };
    const { check } = checkOf(chain);
    const error: unknown = await check.faults('base').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect((error as UpstreamUnavailableError).details).toEqual({ dependency: 'rpc:base' });
    const alive = chainAt();
    await deploy(alive);
    Object.assign(chain, { rpc: alive.rpc });
    expect(await check.faults('base')).toEqual([]);
  });
});
