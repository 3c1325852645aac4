import { sendAsOperator, type ChainClient } from '@yield-vault/testing/local';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { canonical } from '@yield-vault/contracts';
import { concat, keccak256, type Hex } from 'viem';
import { bundlerUtility } from './bundler-accounts.js';

const require = createRequire(import.meta.url);

const artifacts = [
  'PimlicoSimulations.sol/PimlicoSimulations.json',
  'EntryPointSimulations.sol/EntryPointSimulations07.json',
  'EntryPointSimulations.sol/EntryPointSimulations08.json',
  'EntryPointSimulations.sol/EntryPointSimulations09.json',
];

/**
 * Deploy the contracts that Alto simulates with, where it would put them itself at its start. On the chain below a
 * fork they exist whenever the fork is recreated; contracts that the bundler deploys onto a fork disappear with it.
 */
export async function placeBundlerContracts(client: ChainClient): Promise<void> {
  const folder = join(dirname(require.resolve('@pimlico/alto')), 'contracts');
  const salt = keccak256(bundlerUtility);
  for (const artifact of artifacts) {
    const { bytecode } = require(join(folder, artifact)) as { bytecode: { object: Hex } };
    const call = { to: canonical.create2Deployer, data: concat([salt, bytecode.object]) };
    await sendAsOperator(client, call, `Placing ${artifact}`);
  }
}
