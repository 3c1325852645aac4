import { concat, encodeDeployData, getContractAddress, zeroHash, type Address, type Hex } from 'viem';
import { localAsyncVaultBytecode } from '../generated/LocalAsyncVault.js';
import { localCappedVaultBytecode } from '../generated/LocalCappedVault.js';
import { localExitFeeVaultBytecode } from '../generated/LocalExitFeeVault.js';
import { localGapVaultBytecode } from '../generated/LocalGapVault.js';
import { localGasBombVaultBytecode } from '../generated/LocalGasBombVault.js';
import { localMinimumVaultBytecode } from '../generated/LocalMinimumVault.js';
import { localPausableVaultBytecode } from '../generated/LocalPausableVault.js';
import { localVaultAbi, localVaultBytecode } from '../generated/LocalVault.js';
import { localWhitelistVaultBytecode } from '../generated/LocalWhitelistVault.js';
import { localZeroLimitVaultBytecode } from '../generated/LocalZeroLimitVault.js';
import { canonical } from '../address-book.js';
import { localAddresses } from './local-chain.js';
import type { LocalVaultDefinition, LocalVaultKind } from './local-vault.js';

const bytecodes: Readonly<Record<LocalVaultKind, Hex>> = {
  steady: localVaultBytecode,
  faster: localVaultBytecode,
  lossy: localVaultBytecode,
  capped: localCappedVaultBytecode,
  paused: localPausableVaultBytecode,
  'exit-fee': localExitFeeVaultBytecode,
  'zero-limit': localZeroLimitVaultBytecode,
  gap: localGapVaultBytecode,
  impostor: localVaultBytecode,
  mislabelled: localVaultBytecode,
  async: localAsyncVaultBytecode,
  whitelist: localWhitelistVaultBytecode,
  minimum: localMinimumVaultBytecode,
  'gas-bomb': localGasBombVaultBytecode,
};

/** Compute the address of the asset of a local vault. */
export function localAssetAddress(vault: Pick<LocalVaultDefinition, 'chainId' | 'asset'>): Address {
  const addresses = localAddresses[vault.chainId];
  return vault.asset === 'USDC' ? addresses.usdc : addresses.weth;
}

/** Encode the creation code of a local vault, constructor arguments included. */
export function localVaultCreationCode(vault: LocalVaultDefinition): Hex {
  // Every kind has the constructor of the plain vault.
  return encodeDeployData({
    abi: localVaultAbi,
    bytecode: bytecodes[vault.kind],
    args: [localAssetAddress(vault), vault.name, vault.symbol, vault.decimalsOffset],
  });
}

/** Encode the call data that makes the deterministic deployer create a local vault. */
export function localVaultDeployment(vault: LocalVaultDefinition): { to: Address; data: Hex } {
  return { to: canonical.create2Deployer, data: concat([zeroHash, localVaultCreationCode(vault)]) };
}

/** Compute the address at which a local vault lands. */
export function localVaultAddress(vault: LocalVaultDefinition): Address {
  return getContractAddress({
    opcode: 'CREATE2',
    from: canonical.create2Deployer,
    salt: zeroHash,
    bytecode: localVaultCreationCode(vault),
  });
}
