import { chainFacts } from '@yield-vault/contracts';
import { localOperator, localUsdcAbi, localUsdcDeployedBytecode } from '@yield-vault/testing/local';
import { FundingFailedError } from '@yield-vault/protocol';
import { startAnvil, testAccount, type Anvil } from '@yield-vault/testing';
import { createPublicClient, encodeFunctionData, http, numberToHex, pad, type Address, type Hex } from 'viem';
import { buildForkChain } from '../../../test/support/build-fork-chain.js';
import { recordingLogger } from '../../../test/support/recording-logger.js';
import { createAnvilLauncher, type AnvilLauncher } from './create-anvil-launcher.js';
import type { ForkChain } from '../../types.js';
import type { AnvilFork } from './create-anvil-fork.js';
import { balanceSlotOf, createFunder } from './create-funder.js';

const token = chainFacts(8453).usdc.address;
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

// Only balanceOf: mapping at slot 9. It has no blacklist.
const maskedToken: Address = '0x000000000000000000000000000000000000a5ed';
const maskedTokenCode: Hex =
  '0x5f3560e01c6370a08231146011575f5ffd5b6004355f52600960205260405f205460011b60011c5f5260205ff3';

describe('createFunder', () => {
  let upstream: Anvil;
  let launcher: AnvilLauncher;
  let fork: AnvilFork;
  let wallets = 0;
  const newWallet = (): Address => testAccount(`funded ${String(wallets++)}`).address;

  beforeAll(async () => {
    upstream = await startAnvil({ chainId: 8453 });
    launcher = createAnvilLauncher({ logger: recordingLogger() });
    const chain = buildForkChain({ upstreamUrls: [upstream.rpcUrl] });
    fork = await launcher.launch(chain, { id: 'funding' });
    await fork.request('anvil_setCode', [token, localUsdcDeployedBytecode]);
    for (const role of [0n, 1n, 2n, 8n])
      await fork.request('anvil_setStorageAt', [token, word(role), pad(localOperator)]);
    await fork.request('anvil_setCode', [maskedToken, maskedTokenCode]);
  });
  afterAll(async () => {
    await launcher.close();
    await upstream.stop();
  });

  const funder = (facts: Partial<ForkChain['usdc']>) =>
    createFunder(fork, { key: 'base', usdc: { address: token, balanceSlot: 9, ...facts } });
  const reader = () => createPublicClient({ transport: http(fork.rpcUrl), cacheTime: 0 });
  const supply = () =>
    reader().readContract({ address: token, abi: localUsdcAbi, functionName: 'totalSupply' });
  const blacklist = async (address: Address) => {
    const data = encodeFunctionData({ abi: localUsdcAbi, functionName: 'blacklist', args: [address] });
    await fork.addEth(localOperator, 10n ** 18n);
    await fork.sendAs({ from: localOperator, to: token, data });
  };
  const stored = (address: Address) =>
    fork.request('eth_getStorageAt', [token, balanceSlotOf(9, address), 'latest']);

  it('behavior: the added balance belongs to a new block', async () => {
    const before = await reader().getBlock();
    await funder({})({ address: newWallet(), ethWei: 1n });
    expect((await reader().getBlock()).parentHash).toBe(before.hash);
  });

  it('default: adds both amounts, and returns the new balances', async () => {
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
    ['slot', {}],
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

  it('behavior: a mint that reverts is followed by the storage slot', async () => {
    const address = newWallet();
    const fund = funder({ masterMinter: '0x00000000000000000000000000000000000bad01' });
    expect(await fund({ address, usdcBaseUnits: 3n })).toMatchObject({ usdcBaseUnits: 3n });
  });

  it('error: FundingFailedError when no way works, and nothing is added', async () => {
    const address = newWallet();
    const failing = funder({ balanceSlot: 30 })({ address, ethWei: 1n, usdcBaseUnits: 1n });
    await expect(failing).rejects.toThrow(FundingFailedError);
    await expect(failing).rejects.toMatchObject({ details: { tried: ['slot'] }, retryable: true });
    expect(await funder({})({ address })).toEqual({ ethWei: 0n, usdcBaseUnits: 0n });
  });

  it('error: a blacklisted wallet is refused, and stays blacklisted', async () => {
    const address = newWallet();
    await funder({})({ address, usdcBaseUnits: 2n });
    await blacklist(address);
    const before = await stored(address);
    const refused = funder({ masterMinter: localOperator })({ address, usdcBaseUnits: 1n });
    await expect(refused).rejects.toMatchObject({
      code: 'FUNDING_FAILED',
      details: { reason: 'blacklisted' },
      retryable: false,
    });
    expect(await stored(address)).toBe(before);
    expect(BigInt(before as Hex)).toBe((1n << 255n) | 2n);
  });

  it('behavior: a token without a blacklist is funded by its storage slot', async () => {
    const address = newWallet();
    const fund = funder({ address: maskedToken });
    await fund({ address, usdcBaseUnits: 5n });
    expect(await fund({ address, usdcBaseUnits: 6n })).toMatchObject({ usdcBaseUnits: 11n });
  });
});
