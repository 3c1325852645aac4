import { stringify } from 'yaml';

const chain = {
  chainId: 8453,
  name: 'Base',
  rpcUrls: ['${BASE_RPC_URL}'],
  explorerUrl: 'https://explorer.example',
};

/** The environment that `buildDeploymentYaml` refers to. */
export const env = { BASE_RPC_URL: 'http://127.0.0.1:8545' };

/** Build the smallest complete deployment file. */
export function buildDeploymentYaml(
  overrides: Record<string, unknown> = {},
  chainOverrides: Record<string, unknown> = {},
): string {
  return stringify({
    environment: 'local',
    database: { directory: 'data' },
    discovery: { registryFile: './registry.json' },
    chains: { base: { ...chain, ...chainOverrides } },
    ...overrides,
  });
}
