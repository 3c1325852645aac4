import { type Address, type Hex, keccak256, slice } from 'viem';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { localVaultAbi, localVaultBytecode } from '../generated/LocalVault.js';
import { mockTokenAbi, mockTokenBytecode } from '../generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import type { TestChain } from './chain.js';

export const deployToken = (chain: TestChain) => chain.deploy(mockTokenAbi, mockTokenBytecode);

/** An honest vault. */
export const deployVault = (chain: TestChain, asset: Address = chain.usdc) =>
  chain.deploy(mockVaultAbi, mockVaultBytecode, [asset]);

export const mint = (chain: TestChain, token: Address, to: Address, amount: bigint) =>
  chain.write(token, mockTokenAbi, 'mint', [to, amount]);

interface Behaviour {
  /** Shares or assets that it moves. */
  readonly given?: bigint;
  /** What it says that it moved. */
  readonly claimed?: bigint;
  /** Percent of the assets that it takes. */
  readonly taken?: bigint;
  /** A call that it makes in the middle. */
  readonly calls?: readonly [target: Address, data: Hex];
}

/** A vault whose behaviour a test sets. */
export async function deployHostileVault(
  chain: TestChain,
  asset: Address = chain.usdc,
  { given = 100n, claimed = given, taken = 100n, calls }: Behaviour = {},
) {
  const vault = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [asset]);
  await chain.write(vault, hostileVaultAbi, 'behave', [claimed, given, taken]);
  if (calls) await letCall(chain, vault, ...calls);
  return vault;
}

/** Let a hostile vault call `target` in the middle of its next calls. */
export const letCall = (chain: TestChain, vault: Address, target: Address, data: Hex) =>
  chain.write(vault, hostileVaultAbi, 'callBack', [target, data]);

/** Put runtime code at an address of its own. */
export async function placeCode(chain: TestChain, code: Hex): Promise<Address> {
  const address = slice(keccak256(code), 0, 20);
  await chain.node.setCode({ address, bytecode: code });
  return address;
}

/** A vault whose gas is that of vaults of the field. */
export const deployLocalVault = (chain: TestChain) =>
  chain.deploy(localVaultAbi, localVaultBytecode, [chain.usdc, 'Vault', 'V', 0]);
