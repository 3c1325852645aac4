// After a change of the local vaults (their Solidity or their table): rewrites their CREATE2 addresses in
// src/local/local-vaults-*.ts and config/registry.local.json. Tests fail while either is out of date.
//
//   npx nx build contracts && node scripts/write-local-registry.mjs && npx nx build contracts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { localRegistry, localVaultAddress, localVaults } from '../dist/local.js';

const root = join(import.meta.dirname, '..');
const registryPath = join(root, '../../config/registry.local.json');
// By position: an impostor has the name of another vault.
const addressesOf = (vaults) => vaults.map((vault) => localVaultAddress(vault));

for (const [chainId, chain] of [
  [8453, 'base'],
  [1, 'ethereum'],
]) {
  const addresses = addressesOf(localVaults[chainId]);
  const path = join(root, `src/local/local-vaults-${chain}.ts`);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/address: '0x\w*'/g, () => `address: '${addresses.shift()}'`),
  );
}

const addresses = addressesOf([...localVaults[8453], ...localVaults[1]]);
const registry = {
  vaults: localRegistry().vaults.map((entry, index) => ({ ...entry, address: addresses[index] })),
};
const options = { ...(await resolveConfig(registryPath)), parser: 'json' };
writeFileSync(registryPath, await format(JSON.stringify(registry), options));
console.log(`Wrote ${addresses.length} vaults`);
