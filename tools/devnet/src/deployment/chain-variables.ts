import type { DevnetChain } from '../types.js';

/** The variables that name the endpoints of the chains in `config/local.yaml`. */
export function chainVariables(
  chains: readonly Pick<DevnetChain, 'key' | 'rpcUrl' | 'bundlerUrl'>[],
): Record<string, string> {
  return Object.fromEntries(
    chains.flatMap(({ key, rpcUrl, bundlerUrl }) => {
      const name = key.toUpperCase();
      return [
        [`${name}_RPC_URL`, rpcUrl],
        [`${name}_BUNDLER_URL`, bundlerUrl],
      ];
    }),
  );
}
