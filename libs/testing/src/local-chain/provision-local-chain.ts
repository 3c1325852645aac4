import { canonical, chainFacts } from '@yield-vault/contracts';
import {
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  getAddress,
  keccak256,
  maxUint256,
  numberToHex,
  pad,
  parseUnits,
  slice,
  stringToBytes,
  type Address,
  type EncodeFunctionDataParameters,
  type Hex,
} from 'viem';
import { localCappedVaultAbi } from '../generated/LocalCappedVault.js';
import { localLendingVaultAbi } from '../generated/LocalLendingVault.js';
import { localMinimumVaultAbi } from '../generated/LocalMinimumVault.js';
import { localMulticall3Abi, localMulticall3DeployedBytecode } from '../generated/LocalMulticall3.js';
import { localPausableVaultAbi } from '../generated/LocalPausableVault.js';
import { localPriceFeedAbi, localPriceFeedDeployedBytecode } from '../generated/LocalPriceFeed.js';
import { localUsdcAbi, localUsdcDeployedBytecode } from '../generated/LocalUsdc.js';
import { localUsdcProxyDeployedBytecode } from '../generated/LocalUsdcProxy.js';
import { localVaultAbi } from '../generated/LocalVault.js';
import { localWethAbi, localWethDeployedBytecode } from '../generated/LocalWeth.js';
import { localWhitelistVaultAbi } from '../generated/LocalWhitelistVault.js';
import {
  localAddresses,
  localAssets,
  localOperator,
  localUsdcImplementation,
  localPrices,
  type LocalChainId,
} from './local-chain.js';
import { asLocalOperator, sendAsLocalOperator, type LocalNode } from './local-node.js';
import {
  localAssetAddress,
  localVaultDeployment,
  localVaults,
  type LocalVaultDefinition,
} from './local-vaults.js';

interface Call {
  readonly target: Address;
  readonly callData: Hex;
  readonly value?: bigint;
}

const { multicall3 } = canonical;
// Returns zero for every call: a local chain has no L1.
const freeL1OracleCode = '0x5f5f5260205ff3';
const usdcRoleSlots = { owner: 0n, pauser: 1n, blacklister: 2n, masterMinter: 8n } as const;

/** Years of yield that a vault holds in reserve, so that it can pay for as long as the chain runs. */
const reserveYears = 3;

/**
 * Put everything a local chain needs beside our own contracts onto a fresh Anvil: USDC, WETH, Multicall3 and price feeds at
 * their canonical addresses, and the vaults of `localVaults` with depositors, reserves and yield.
 *
 * @param node A client of an Anvil chain without another writer; it must mine on every transaction.
 * @param chainId Id of the chain that it replaces.
 * @throws {Error} When a step does not succeed on the chain.
 */
export async function provisionLocalChain(node: LocalNode, chainId: LocalChainId): Promise<void> {
  const addresses = localAddresses[chainId];
  await placeLocalContracts(node, chainId);
  await asLocalOperator(node, async () => {
    await sendAsLocalOperator(node, addresses.usdc, configureMinter(localOperator));
    // Multicall3 mints and deposits for everyone in one transaction per vault, then loses the right.
    await sendAsLocalOperator(node, addresses.usdc, configureMinter(multicall3));
    await setPrices(node, chainId);
    for (const vault of localVaults[chainId]) {
      const deployment = localVaultDeployment(vault);
      await sendAsLocalOperator(node, deployment.to, deployment.data);
      await sendCalls(node, openVault(vault));
    }
    await sendAsLocalOperator(
      node,
      addresses.usdc,
      encodeFunctionData({ abi: localUsdcAbi, functionName: 'removeMinter', args: [multicall3] }),
    );
  });
}

/**
 * Put USDC, WETH, Multicall3 and price feeds at their canonical addresses of an Anvil: nobody holds a token, every role
 * of USDC is the local operator's, and the feeds have no price.
 */
export async function placeLocalContracts(node: LocalNode, chainId: LocalChainId): Promise<void> {
  const { usdc, weth, ethUsdFeed, usdcUsdFeed, sequencerFeed } = localAddresses[chainId];
  const { l1FeeOracle } = chainFacts(chainId);
  const code: readonly (readonly [Address, Hex])[] = [
    [usdc, localUsdcProxyDeployedBytecode],
    [localUsdcImplementation, localUsdcDeployedBytecode],
    [weth, localWethDeployedBytecode],
    [ethUsdFeed, localPriceFeedDeployedBytecode],
    [usdcUsdFeed, localPriceFeedDeployedBytecode],
    ...(sequencerFeed ? [[sequencerFeed, localPriceFeedDeployedBytecode] as const] : []),
    ...(l1FeeOracle ? [[l1FeeOracle, freeL1OracleCode] as const] : []),
    [canonical.multicall3, localMulticall3DeployedBytecode],
  ];
  for (const params of code) await node.request({ method: 'anvil_setCode', params });
  const roles = ['owner', 'pauser', 'blacklister', 'masterMinter'] as const;
  const slots: readonly (readonly [Hex, Address])[] = [
    [keccak256(stringToBytes('org.zeppelinos.proxy.implementation')), localUsdcImplementation],
    // The admin's own calls revert, and calls without a sender come from zero: name an address that never calls.
    [keccak256(stringToBytes('org.zeppelinos.proxy.admin')), localUsdcImplementation],
    ...roles.map((role) => [numberToHex(usdcRoleSlots[role], { size: 32 }), localOperator] as const),
  ];
  for (const [slot, value] of slots) {
    await node.request({ method: 'anvil_setStorageAt', params: [usdc, slot, pad(value)] });
  }
}

async function setPrices(node: LocalNode, chainId: LocalChainId): Promise<void> {
  const { usdc, wrappedNative, sequencerFeed } = chainFacts(chainId);
  const feeds = [
    { ...wrappedNative.price, price: localPrices.ethUsd },
    { ...usdc.price, price: localPrices.usdcUsd },
  ];
  for (const { feed, description, price } of feeds) {
    const abi = localPriceFeedAbi;
    await sendAsLocalOperator(
      node,
      feed,
      encodeFunctionData({ abi, functionName: 'setDescription', args: [description] }),
    );
    await sendAsLocalOperator(
      node,
      feed,
      encodeFunctionData({ abi, functionName: 'setAnswer', args: [price] }),
    );
  }
  if (!sequencerFeed) return;
  // Up since the first second of all.
  const up = encodeFunctionData({ abi: localPriceFeedAbi, functionName: 'setRound', args: [0n, 1n] });
  await sendAsLocalOperator(node, sequencerFeed, up);
}

function configureMinter(minter: Address): Hex {
  return encodeFunctionData({
    abi: localUsdcAbi,
    functionName: 'configureMinter',
    args: [minter, maxUint256],
  });
}

/** Fund a new vault: depositors at a price of 1, then what it earned since, then its reserve, rate and limits. */
function openVault(vault: LocalVaultDefinition): Call[] {
  const asset = localAssetAddress(vault);
  const { decimals } = localAssets[vault.asset];
  const tvl = parseUnits(vault.tvl.toString(), decimals);
  const deposits = splitDeposits(vault, (tvl * 10_000n) / BigInt(Math.round(vault.sharePrice * 10_000)));
  const deposited = deposits.reduce((sum, amount) => sum + amount, 0n);
  const earned = tvl - deposited;
  const reserve = (tvl * BigInt(Math.round(vault.apyPercent * 100 * reserveYears))) / 10_000n;

  const control = (functionName: 'harvest' | 'setRate', arg: bigint): Call => ({
    target: vault.address,
    callData: encodeFunctionData({ abi: localVaultAbi, functionName, args: [arg] }),
  });
  return [
    obtain(vault, deposited + earned + reserve),
    {
      target: asset,
      callData: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [vault.address, deposited],
      }),
    },
    ...deposits.map((amount, index) => ({
      target: vault.address,
      callData: encodeFunctionData({
        abi: erc4626Abi,
        functionName: 'deposit',
        args: [amount, localDepositor(vault, index)],
      }),
    })),
    {
      target: asset,
      callData: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [vault.address, earned + reserve],
      }),
    },
    control('harvest', earned),
    control('setRate', ratePerSecond(vault.apyPercent)),
    ...limits(vault),
  ];
}

/** The call that gives Multicall3 `amount` of the asset. */
function obtain(vault: LocalVaultDefinition, amount: bigint): Call {
  const target = localAssetAddress(vault);
  return vault.asset === 'USDC'
    ? {
        target,
        callData: encodeFunctionData({ abi: localUsdcAbi, functionName: 'mint', args: [multicall3, amount] }),
      }
    : { target, callData: encodeFunctionData({ abi: localWethAbi, functionName: 'deposit' }), value: amount };
}

/** Limit the vault after its first deposits. */
function limits(vault: LocalVaultDefinition): Call[] {
  const { address, kind, room, minimum, lent, lockSeconds } = vault;
  const inBaseUnits = (whole: number) => parseUnits(whole.toString(), localAssets[vault.asset].decimals);
  const set = (call: EncodeFunctionDataParameters): Call[] => [
    { target: address, callData: encodeFunctionData(call) },
  ];
  if (kind === 'paused') return set({ abi: localPausableVaultAbi, functionName: 'pause' });
  if (kind === 'whitelist') return set({ abi: localWhitelistVaultAbi, functionName: 'close' });
  if (room !== undefined)
    return set({ abi: localCappedVaultAbi, functionName: 'setRoom', args: [inBaseUnits(room)] });
  if (minimum !== undefined)
    return set({ abi: localMinimumVaultAbi, functionName: 'setMinimum', args: [inBaseUnits(minimum)] });
  if (lent !== undefined)
    return set({ abi: localLendingVaultAbi, functionName: 'setLent', args: [inBaseUnits(lent)] });
  if (lockSeconds !== undefined)
    return set({ abi: localLendingVaultAbi, functionName: 'setLock', args: [BigInt(lockSeconds)] });
  return [];
}

/** The largest depositor first, the rest in equal parts that are smaller than the first. */
function splitDeposits(vault: LocalVaultDefinition, total: bigint): bigint[] {
  const { top1Share } = vault.facts;
  const largest = (total * BigInt(Math.round(top1Share * 10_000))) / 10_000n;
  const others = BigInt(Math.max(3, Math.ceil((1 - top1Share) / top1Share) + 1));
  return [largest, ...Array.from({ length: Number(others) }, () => (total - largest) / others)];
}

/** Compute the address of a depositor of a local vault; index 0 is the largest. Nobody has its key. */
export function localDepositor(vault: LocalVaultDefinition, index: number): Address {
  const seed = `${String(vault.chainId)} ${vault.name} depositor ${String(index)}`;
  return getAddress(slice(keccak256(stringToBytes(seed)), 12));
}

async function sendCalls(node: LocalNode, calls: readonly Call[]): Promise<void> {
  const value = calls.reduce((sum, call) => sum + (call.value ?? 0n), 0n);
  const data = encodeFunctionData({
    abi: localMulticall3Abi,
    functionName: 'aggregate3Value',
    args: [
      calls.map((call) => ({
        target: call.target,
        allowFailure: false,
        value: call.value ?? 0n,
        callData: call.callData,
      })),
    ],
  });
  await sendAsLocalOperator(node, multicall3, data, value);
}

const secondsPerYear = 31_536_000;

/**
 * Convert a yield in percent a year into the growth per second that a local vault takes.
 *
 * @param apyPercent Effective yearly yield, 10 means 10 %.
 * @returns Continuously compounded growth per second, 1e18 = 100 %.
 */
export function ratePerSecond(apyPercent: number): bigint {
  return BigInt(Math.round((Math.log1p(apyPercent / 100) / secondsPerYear) * 1e18));
}
