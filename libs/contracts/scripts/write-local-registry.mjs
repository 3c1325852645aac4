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
const addresses = new Map(
  Object.values(localVaults)
    .flat()
    .map((vault) => [`${vault.chainId} ${vault.name}`, localVaultAddress(vault)]),
);

for (const chain of ['base', 'ethereum']) {
  const path = join(root, `src/local/local-vaults-${chain}.ts`);
  const text = readFileSync(path, 'utf8').replace(
    /chainId: (\d+),\n(\s*)address: '0x\w*',\n\s*name: '([^']+)'/g,
    (_, chainId, indent, name) =>
      `chainId: ${chainId},\n${indent}address: '${addresses.get(`${chainId} ${name}`)}',\n${indent}name: '${name}'`,
  );
  writeFileSync(path, text);
}

const registry = {
  vaults: localRegistry().vaults.map((entry) => ({
    ...entry,
    address: addresses.get(`${entry.chainId} ${entry.name}`),
  })),
};
const options = { ...(await resolveConfig(registryPath)), parser: 'json' };
writeFileSync(registryPath, await format(JSON.stringify(registry), options));
console.log(`Wrote ${addresses.size} vaults`);
