import {
  localAddresses,
  localAssets,
  localCappedVaultAbi,
  localPausableVaultAbi,
  localUsdcAbi,
  localVaultAbi,
  localWethAbi,
  type LocalVaultDefinition,
} from '@yield-vault/testing/local';
import { encodeFunctionData, parseUnits, type Address, type Hex } from 'viem';
import { type ChainClient, createChainClient, sendAsOperator } from './steps/chain-client.js';

/** All that is needed of a devnet chain. */
interface Chain {
  readonly rpcUrl: string;
}

const wad = 10n ** 18n;

/**
 * Donate to a vault: its share price rises at once, without new shares.
 *
 * @param fraction Of its assets, 0.03 for 3 %.
 * @returns The donated assets, in base units.
 */
export async function donateToVault(
  chain: Chain,
  vault: LocalVaultDefinition,
  fraction: number,
): Promise<bigint> {
  const client = createChainClient(chain.rpcUrl);
  const assets = await fractionOfAssets(client, vault, fraction);
  const send = senderTo(client, `A donation to ${vault.name}`);
  const { usdc, weth } = localAddresses[vault.chainId];
  const args = [vault.address, assets] as const;
  if (vault.asset === 'USDC') {
    await send(usdc, encodeFunctionData({ abi: localUsdcAbi, functionName: 'mint', args }));
  } else {
    await send(weth, encodeFunctionData({ abi: localWethAbi, functionName: 'deposit' }), assets);
    await send(weth, encodeFunctionData({ abi: localWethAbi, functionName: 'transfer', args }));
  }
  // A transfer alone only feeds the reserve of a local vault.
  const harvest = { abi: localVaultAbi, functionName: 'harvest', args: [assets] } as const;
  await send(vault.address, encodeFunctionData(harvest));
  return assets;
}

/**
 * Make a vault lose assets, as when a borrower defaults.
 *
 * @param fraction Of its assets, 0.02 for 2 %.
 * @returns The lost assets, in base units.
 */
export async function realiseLoss(
  chain: Chain,
  vault: LocalVaultDefinition,
  fraction: number,
): Promise<bigint> {
  const client = createChainClient(chain.rpcUrl);
  const assets = await fractionOfAssets(client, vault, fraction);
  const data = encodeFunctionData({ abi: localVaultAbi, functionName: 'realiseLoss', args: [assets] });
  await senderTo(client, `A loss of ${vault.name}`)(vault.address, data);
  return assets;
}

/** Pause a vault of the kind `paused`, which is how it starts, or open it. */
export async function setPaused(chain: Chain, vault: LocalVaultDefinition, isPaused: boolean): Promise<void> {
  const functionName = isPaused ? 'pause' : 'unpause';
  const data = encodeFunctionData({ abi: localPausableVaultAbi, functionName });
  await senderTo(createChainClient(chain.rpcUrl), `${functionName} of ${vault.name}`)(vault.address, data);
}

/**
 * Limit what a vault of the kind `capped` still takes.
 *
 * @param room Whole units of the asset; 0 closes it.
 */
export async function setRoom(chain: Chain, vault: LocalVaultDefinition, room: number): Promise<void> {
  const assets = parseUnits(room.toString(), localAssets[vault.asset].decimals);
  const data = encodeFunctionData({ abi: localCappedVaultAbi, functionName: 'setRoom', args: [assets] });
  await senderTo(createChainClient(chain.rpcUrl), `The limit of ${vault.name}`)(vault.address, data);
}

function senderTo(client: ChainClient, purpose: string) {
  return (to: Address, data: Hex, value = 0n) => sendAsOperator(client, { to, data, value }, purpose);
}

async function fractionOfAssets(
  client: ChainClient,
  vault: LocalVaultDefinition,
  fraction: number,
): Promise<bigint> {
  const address = vault.address;
  const assets = await client.readContract({ address, abi: localVaultAbi, functionName: 'totalAssets' });
  return (assets * parseUnits(fraction.toFixed(18), 18)) / wad;
}
