import { createActiveChains, type ActiveChain } from '@yield-vault/chains';
import { deploymentSecrets, loadConfig, type Config } from '@yield-vault/deployment';
import { ConfigError } from '@yield-vault/protocol';
import { type CliIo, columns } from '../io.js';
import { contractChecks, marketChecks } from './chain-checks.js';
import { runChecks, type Result } from './check.js';
import { nodeChecks } from './node-checks.js';
import { paymasterChecks } from './paymaster-checks.js';
import { sharedChecks } from './shared-checks.js';

const cureOfConfig = 'Correct the deployment file, or the variable of this setting (docs/configuration.md).';

/**
 * Check everything that a deployment relies on, and change nothing.
 *
 * @param env - the environment of the deployment's processes
 * @returns the number of failed checks
 */
export async function runDoctor(
  env: NodeJS.ProcessEnv,
  { json }: { readonly json?: boolean },
  io: CliIo,
): Promise<number> {
  let results: readonly Result[];
  let secrets: readonly string[] = [];
  try {
    const config = loadConfig(env);
    const { deployment } = config;
    secrets = deploymentSecrets(deployment);
    const chains = createActiveChains(deployment).all.map((chain) => examineChain(chain, config));
    results = (await Promise.all([...chains, runChecks(sharedChecks(deployment))])).flat();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const row = { check: 'configuration', subject: 'file', state: 'failed' };
    results = error.problems.map((cause) => ({ ...row, cause, cure: cureOfConfig }));
  }
  const header = ['CHECK', 'SUBJECT', 'STATE', 'CAUSE', 'CURE'];
  const text = json
    ? JSON.stringify({ checks: results }, null, 2)
    : columns([header, ...results.map((row) => Object.values(row))]);
  io.out(secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text));
  const failed = results.filter(({ state }) => state === 'failed').length;
  io.note(`${results.length} checks, ${failed} failed`);
  return failed;
}

async function examineChain(
  chain: ActiveChain,
  { deployment, registry }: Config,
): Promise<readonly Result[]> {
  const { key, nodes, rpcUrls, relayMode, paymaster } = chain;
  const listed = registry.filter(({ chainId }) => chainId === chain.chainId);
  const perNode = nodes.map((node, place) => {
    const alone = { ...chain, nodes: [node], rpcUrls: [rpcUrls[place]!] };
    return nodeChecks(alone, `${key} node ${place + 1}`, deployment);
  });
  const nodeResults = await runChecks(perNode.map(([first]) => first));
  const isDown = nodeResults.map(({ state }) => state === 'failed');
  const onChain = [
    ...contractChecks(chain),
    // On a managed fork, the fork service deploys and funds our paymaster.
    ...(relayMode === 'chain' && paymaster.kind === 'own' ? paymasterChecks(chain, deployment.keeper) : []),
    ...marketChecks(chain, listed),
  ];
  const results = [...nodeResults, ...(await runChecks(onChain, isDown.every(Boolean)))];
  // Last, because the rate check uses up the provider's limit.
  for (const [place, [, ...others]] of perNode.entries())
    results.push(...(await runChecks(others, isDown[place])));
  return results;
}
