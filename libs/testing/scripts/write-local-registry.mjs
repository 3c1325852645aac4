// Rewrites config/registry.local.json after a change of the local vaults (their Solidity or local-vaults.json).
//
//   npx nx build testing && node scripts/write-local-registry.mjs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { localRegistry } from '../dist/local-chain/index.js';

const path = join(import.meta.dirname, '../../../config/registry.local.json');
const options = { ...(await resolveConfig(path)), parser: 'json' };
writeFileSync(path, await format(JSON.stringify(localRegistry()), options));
