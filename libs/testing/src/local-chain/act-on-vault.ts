import { parseUnits } from 'viem';
import { localCappedVaultAbi } from '../generated/LocalCappedVault.js';
import { localPausableVaultAbi } from '../generated/LocalPausableVault.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import { localVaultAbi } from '../generated/LocalVault.js';
import { localWethAbi } from '../generated/LocalWeth.js';
import { callAsOperator, createChainClient, fractionOfAssets } from './chain-client.js';
import { localAddresses, localAssets } from './local-chain.js';
import type { LocalVaultDefinition } from './local-vaults.js';

/** All that is needed of a devnet chain. */
interface Chain {
  readonly rpcUrl: string;
}

/**
 * Donate to a vault: its share price rises at once, without new shares.
 *
 * @param fraction Of its assets, 0.03 for 3 %.
 * @returns The donated assets, in base units.
 */
export async function donateToVault(
  { rpcUrl }: Chain,
  { address, asset, chainId }: LocalVaultDefinition,
  fraction: number,
): Promise<bigint> {
  const client = createChainClient(rpcUrl);
  const assets = await fractionOfAssets(client, address, parseUnits(fraction.toFixed(18), 18));
  const { usdc, weth } = localAddresses[chainId];
  const args = [address, assets];
  if (asset === 'USDC') {
    await callAsOperator(client, { address: usdc, abi: localUsdcAbi, functionName: 'mint', args });
  } else {
    const token = { address: weth, abi: localWethAbi };
    await callAsOperator(client, { ...token, functionName: 'deposit', value: assets });
    await callAsOperator(client, { ...token, functionName: 'transfer', args });
  }
  // A transfer alone only feeds the reserve of a local vault.
  await callAsOperator(client, { address, abi: localVaultAbi, functionName: 'harvest', args: [assets] });
  return assets;
}

/**
 * Make a vault lose assets, as when a borrower defaults.
 *
 * @param fraction Of its assets, 0.02 for 2 %.
 * @returns The lost assets, in base units.
 */
export async function realiseLoss(
  { rpcUrl }: Chain,
  { address }: LocalVaultDefinition,
  fraction: number,
): Promise<bigint> {
  const client = createChainClient(rpcUrl);
  const assets = await fractionOfAssets(client, address, parseUnits(fraction.toFixed(18), 18));
  await callAsOperator(client, { address, abi: localVaultAbi, functionName: 'realiseLoss', args: [assets] });
  return assets;
}

/** Pause a vault of the kind `paused`, which is how it starts, or open it. */
export function setPaused(
  { rpcUrl }: Chain,
  { address }: LocalVaultDefinition,
  isPaused: boolean,
): Promise<void> {
  const functionName = isPaused ? 'pause' : 'unpause';
  return callAsOperator(createChainClient(rpcUrl), { address, abi: localPausableVaultAbi, functionName });
}

/**
 * Limit what a vault of the kind `capped` still takes.
 *
 * @param room Whole units of the asset; 0 closes it.
 */
export function setRoom(
  { rpcUrl }: Chain,
  { address, asset }: LocalVaultDefinition,
  room: number,
): Promise<void> {
  const args = [parseUnits(room.toString(), localAssets[asset].decimals)];
  const call = { address, abi: localCappedVaultAbi, functionName: 'setRoom', args };
  return callAsOperator(createChainClient(rpcUrl), call);
}
