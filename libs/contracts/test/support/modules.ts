import { type Address, type Hex, type PrivateKeyAccount, numberToHex } from 'viem';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { bareModuleAbi, bareModuleBytecode } from '../generated/BareModule.js';
import { executorCall } from './account.js';
import { encode } from './calls.js';
import type { TestChain } from './chain.js';
import { revertOf } from './reverts.js';

/** Start of the account's ERC-7201 namespace. */
export const storageNamespace = BigInt('0xfd05bbc306dcdf66b70cbe020ffabf7a9b7149c915ce12e5d3e8ff3563854200');

/** Slot of the bits that say which default modules were removed. */
export const removedDefaultsSlot = storageNamespace + 5n;

export const isInstalled = (chain: TestChain, agent: PrivateKeyAccount, type: bigint, module: Address) =>
  chain.read(agent.address, yieldVaultAccountAbi, 'isModuleInstalled', [type, module, '0x']);

export const install = (type: bigint, module: Address): Hex =>
  encode(yieldVaultAccountAbi, 'installModule', [type, module, '0x']);

export const uninstall = (type: bigint, module: Address): Hex =>
  encode(yieldVaultAccountAbi, 'uninstallModule', [type, module, '0x']);

/** A module of every type. */
export const deployModule = (chain: TestChain) => chain.deploy(bareModuleAbi, bareModuleBytecode);

/** A transaction of the account to itself. */
export const sendToSelf = (chain: TestChain, agent: PrivateKeyAccount, data: Hex, gas = 3_000_000n) =>
  chain.mined(chain.walletOf(agent).sendTransaction({ to: agent.address, data, gas }));

/** Why a call of the account to itself reverts. */
export const selfRevert = (chain: TestChain, agent: PrivateKeyAccount, data: Hex, value = 0n) =>
  revertOf(chain, { from: agent.address, to: agent.address, data, value });

/** Why hooks of the account revert. */
export const hooksRevert = (chain: TestChain, agent: PrivateKeyAccount, ...hooks: readonly Hex[]) =>
  selfRevert(chain, agent, executorCall(...hooks));

/** Run hooks in a transaction of the account. */
export async function runHooks(chain: TestChain, agent: PrivateKeyAccount, ...hooks: readonly Hex[]) {
  const receipt = await sendToSelf(chain, agent, executorCall(...hooks));
  if (receipt.status !== 'success') throw new Error(String(await hooksRevert(chain, agent, ...hooks)));
  return receipt;
}

/** A storage slot as a number. */
export async function slotOf(chain: TestChain, address: Address, index: bigint): Promise<bigint> {
  return BigInt((await chain.client.getStorageAt({ address, slot: numberToHex(index) })) ?? 0);
}
