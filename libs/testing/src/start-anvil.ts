import { startAnvil as start } from '@yield-vault/forks/anvil';

/** A running local chain. */
export interface Anvil {
  readonly rpcUrl: string;
  /** End the process and remove what it wrote. */
  stop(): Promise<void>;
}

/**
 * Start a local chain on a free port. It dies with this process, even when that is killed.
 *
 * @param options.chainId - default 31337
 * @param options.args - further Anvil arguments
 */
export async function startAnvil(
  options: { readonly chainId?: number; readonly args?: readonly string[] } = {},
): Promise<Anvil> {
  const args = ['--chain-id', String(options.chainId ?? 31337), ...(options.args ?? [])];
  const { rpcUrl, kill } = await start({ args });
  return { rpcUrl, stop: kill };
}
