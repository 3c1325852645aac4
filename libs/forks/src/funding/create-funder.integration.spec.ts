import { canonical } from '@yield-vault/contracts';
import { localOperator, localUsdcAbi, localUsdcDeployedBytecode } from '@yield-vault/contracts/local';
import { FundingFailedError } from '@yield-vault/protocol';
import { startAnvil, testAccount, type Anvil } from '@yield-vault/testing';
import { createPublicClient, encodeFunctionData, http, numberToHex, pad, type Address, type Hex } from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { recordingLogger } from '../../test/support/recording-logger.js';
import { createAnvilLauncher } from '../anvil/create-anvil-launcher.js';
import type { ForkLauncher, LaunchedFork } from '../ports.js';
import type { UsdcFacts } from '../types.js';
import { balanceSlotOf } from './balance-slot.js';
import { createFunder } from './create-funder.js';

const token = canonical.usdc[8453];
const whale: Address = '0x00000000000000000000000000000000000bea1e';
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

// Only balanceOf: mapping at slot 9, its highest bit left out. It cannot be asked for a blacklist.
const maskedToken: Address = '0x000000000000000000000000000000000000a5ed';
const maskedTokenCode: Hex =
  '0x5f3560e01c6370a08231146011575f5ffd5b6004355f52600960205260405f205460011b60011c5f5260205ff3';

describe('createFunder', () => {
  let upstream: Anvil;
  let launcher: ForkLauncher;
  let fork: LaunchedFork;
  let wallets = 0;
  const newWallet = (): Address => testAccount(`funded ${String(wallets++)}`).address;

  beforeAll(async () => {
    upstream = await startAnvil({ chainId: 8453 });
    launcher = createAnvilLauncher({ logger: recordingLogger() });
    const chain = buildForkChain({ upstreamUrls: [upstream.rpcUrl] });
    fork = await launcher.launch(chain, { id: 'funding', kind: 'persistent' });
    await fork.setCode(token, localUsdcDeployedBytecode);
    for (const role of [0n, 1n, 2n, 8n]) await fork.setStorageAt(token, word(role), pad(localOperator));
    await fork.setCode(maskedToken, maskedTokenCode);
    await fork.setTokenBalance(token, whale, 1_000n);
  });
  afterAll(async () => {
    await launcher.close();
    await upstream.stop();
  });

  const funder = (facts: Partial<UsdcFacts>, on: Partial<LaunchedFork> = {}) =>
    createFunder({ ...fork, ...on }, { key: 'base', usdc: { address: token, ...facts } });
  const reader = () => createPublicClient({ transport: http(fork.rpcUrl), cacheTime: 0 });
  const supply = () =>
    reader().readContract({ address: token, abi: localUsdcAbi, functionName: 'totalSupply' });
  const noDeal: Partial<LaunchedFork> = { setTokenBalance: () => Promise.reject(new Error('no slot found')) };
  const blacklist = async (address: Address) => {
    const data = encodeFunctionData({ abi: localUsdcAbi, functionName: 'blacklist', args: [address] });
    await fork.addEth(localOperator, 10n ** 18n);
    await fork.sendAs({ from: localOperator, to: token, data });
  };
  const stored = (address: Address) =>
    fork.request('eth_getStorageAt', [token, balanceSlotOf(9, address), 'latest']);

  it('behavior: what was added belongs to a new block', async () => {
    const before = await reader().getBlock();
    await funder({})({ address: newWallet(), ethWei: 1n });
    expect((await reader().getBlock()).parentHash).toBe(before.hash);
  });

  it('default: adds both to what is there, and tells what the fork then says', async () => {
    const address = newWallet();
    const fund = funder({});
    await fund({ address, ethWei: 5n, usdcBaseUnits: 7n });
    expect(await fund({ address, ethWei: 10n, usdcBaseUnits: 70n })).toEqual({
      ethWei: 15n,
      usdcBaseUnits: 77n,
    });
    expect(await reader().getBalance({ address })).toBe(15n);
  });

  it('behavior: the master minter lets really mint: the supply grows, and there is an event', async () => {
    const address = newWallet();
    const before = await supply();
    const fromBlock = await reader().getBlockNumber();
    await funder({ masterMinter: localOperator })({ address, usdcBaseUnits: 9n });
    expect((await supply()) - before).toBe(9n);
    const logs = await reader().getContractEvents({
      address: token,
      abi: localUsdcAbi,
      eventName: 'Transfer',
      args: { to: address },
      fromBlock,
    });
    expect(logs.map(({ args }) => args.value)).toEqual([9n]);
  });

  it.each([
    ['mint', { masterMinter: localOperator }],
    ['deal', {}],
  ])('behavior: 50 concurrent fundings by %s sum exactly', async (_, facts) => {
    const address = newWallet();
    const fund = funder(facts);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        fund({ address, ethWei: 1n, usdcBaseUnits: BigInt(index + 1) }),
      ),
    );
    expect(await fund({ address })).toEqual({ ethWei: 50n, usdcBaseUnits: 1_275n });
  });

  it('behavior: 50 concurrent fundings of ETH alone sum exactly', async () => {
    const address = newWallet();
    const fund = funder({});
    await Promise.all(Array.from({ length: 50 }, () => fund({ address, ethWei: 1n })));
    expect(await fund({ address })).toMatchObject({ ethWei: 50n });
  });

  it('behavior: a mint that reverts is followed by dealing', async () => {
    const address = newWallet();
    const fund = funder({ masterMinter: '0x00000000000000000000000000000000000bad01' });
    expect(await fund({ address, usdcBaseUnits: 3n })).toMatchObject({ usdcBaseUnits: 3n });
  });

  it('behavior: dealing that fails is followed by the storage slot', async () => {
    const address = newWallet();
    const fund = funder({ balanceSlot: 9 }, noDeal);
    await fund({ address, usdcBaseUnits: 3n });
    expect(await fund({ address, usdcBaseUnits: 4n })).toMatchObject({ usdcBaseUnits: 7n });
  });

  it('behavior: a wrong storage slot is followed by the whale, who has less afterwards', async () => {
    const address = newWallet();
    const fund = funder({ balanceSlot: 30, whale }, noDeal);
    expect(await fund({ address, usdcBaseUnits: 400n })).toMatchObject({ usdcBaseUnits: 400n });
    expect(await funder({})({ address: whale })).toMatchObject({ usdcBaseUnits: 600n });
  });

  it('behavior: a way that adds another amount does not count', async () => {
    const address = newWallet();
    const half: Partial<LaunchedFork> = {
      setTokenBalance: (of, to, amount) => fork.setTokenBalance(of, to, amount / 2n),
    };
    const fund = funder({ balanceSlot: 9 }, half);
    expect(await fund({ address, usdcBaseUnits: 8n })).toMatchObject({ usdcBaseUnits: 8n });
  });

  it('error: FundingFailedError when no way works, and nothing is added', async () => {
    const address = newWallet();
    const failing = funder({}, noDeal)({ address, ethWei: 1n, usdcBaseUnits: 1n });
    await expect(failing).rejects.toThrow(FundingFailedError);
    await expect(failing).rejects.toMatchObject({ details: { tried: ['deal'] }, retryable: true });
    expect(await funder({})({ address })).toEqual({ ethWei: 0n, usdcBaseUnits: 0n });
  });

  it('error: a blacklisted wallet is refused, and stays blacklisted', async () => {
    const address = newWallet();
    await funder({})({ address, usdcBaseUnits: 2n });
    await blacklist(address);
    const before = await stored(address);
    const refused = funder({ masterMinter: localOperator, balanceSlot: 9 })({ address, usdcBaseUnits: 1n });
    await expect(refused).rejects.toMatchObject({
      code: 'FUNDING_FAILED',
      details: { reason: 'blacklisted' },
      retryable: false,
    });
    expect(await stored(address)).toBe(before);
    expect(BigInt(before as Hex)).toBe((1n << 255n) | 2n);
  });

  describe('on a token that does not tell whom it blacklists', () => {
    const facts = { address: maskedToken, balanceSlot: 9 };

    it('default: adds by its storage slot', async () => {
      const address = newWallet();
      const fund = funder(facts, noDeal);
      await fund({ address, usdcBaseUnits: 5n });
      expect(await fund({ address, usdcBaseUnits: 6n })).toMatchObject({ usdcBaseUnits: 11n });
    });

    it('error: the flag in the storage slot is respected', async () => {
      const address = newWallet();
      await fork.setStorageAt(maskedToken, balanceSlotOf(9, address), word((1n << 255n) | 5n));
      await expect(funder(facts)({ address, usdcBaseUnits: 6n })).rejects.toMatchObject({
        details: { reason: 'blacklisted' },
      });
      expect(await funder(facts)({ address })).toMatchObject({ usdcBaseUnits: 5n });
    });
  });

  it('error: ForkNotRunningError on a fork that is gone', async () => {
    const chain = buildForkChain({ upstreamUrls: [upstream.rpcUrl] });
    const gone = await launcher.launch(chain, { id: 'gone', kind: 'persistent' });
    await gone.destroy();
    const fund = createFunder(gone, { key: 'base', usdc: { address: token } });
    await expect(fund({ address: newWallet(), usdcBaseUnits: 1n })).rejects.toMatchObject({
      code: 'FORK_NOT_RUNNING',
    });
  });
});
