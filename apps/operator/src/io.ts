import { asUpstreamError } from '@yield-vault/chains';
import { findError, isViemError, ServiceError, walkCauses } from '@yield-vault/protocol';
import { InvalidArgumentError } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { createPublicClient, http, isAddress, type PublicClient } from 'viem';

/** The output of a command: results and progress notes. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
}

/** A failure that is printed without a stack. */
export class CommandFailure extends Error {}

/** Say in a sentence why something failed. */
export function textOf(error: unknown): string {
  const known =
    walkCauses(error).find((cause) => cause instanceof ServiceError) ?? asUpstreamError(error, 'rpc');
  if (known) return known.detail ?? known.message;
  const revert = findError(error, 'ContractFunctionRevertedError')?.data?.errorName;
  // Not its whole text: the URL of the node may contain a credential.
  if (isViemError(error)) return [error.shortMessage, revert ?? error.details].filter(Boolean).join(' ');
  return error instanceof Error ? error.message : String(error);
}

/** RPC endpoints by chain key. */
export type RpcUrls = Readonly<Record<string, string>>;

/** Lay rows out in columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => [...row[index]!].length)));
  const pad = (cell: string, width: number) => cell + ' '.repeat(width - [...cell].length);
  const lines = rows.map((row) => row.map((cell, index) => pad(cell, widths[index]!)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Read `base=http://127.0.0.1:8545`, once for each chain. */
export function parseRpc(text: string, previous: RpcUrls = {}): RpcUrls {
  const [, chain, url] = /^([a-z][a-z0-9-]*)=(https?:.+)$/.exec(text) ?? [];
  if (chain === undefined || url === undefined || !URL.canParse(url))
    throw new InvalidArgumentError('Write <chain>=<url>, e.g. base=https://mainnet.base.org.');
  if (Object.hasOwn(previous, chain)) throw new InvalidArgumentError(`${chain} has an RPC already.`);
  return { ...previous, [chain]: url };
}

/** Text with addresses of vaults, under the name of its source. */
export interface VaultList {
  readonly name: string;
  readonly text: string;
}

/** Read `aave-address-book=AaveV3Base.ts` or `own=0x…`, once for each file or address. */
export function parseList(argument: string, previous: readonly VaultList[] = []): VaultList[] {
  const [name, value] = argument.split(/=(.*)/s);
  if (!name || !value || !(isAddress(value, { strict: false }) || existsSync(value)))
    throw new InvalidArgumentError('Write <name>=<file or address>, e.g. aave-address-book=AaveV3Base.ts.');
  return [...previous, { name, text: existsSync(value) ? readFileSync(value, 'utf8') : value }];
}

export function parseChainId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Write a chain id, e.g. 8453.');
  return Number(text);
}

export function parseUsdc(text: string): string {
  if (!/^(0|[1-9]\d*)(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('Write USDC, e.g. 5 or 0.5.');
  return text;
}

/**
 * Connect to the node of a chain.
 *
 * @param expected - id of the chain in the registry; undefined when unknown
 * @throws {CommandFailure} when the node serves another chain
 */
export async function connect(
  chain: string,
  url: string,
  expected: number | undefined,
): Promise<{ readonly rpc: PublicClient; readonly chainId: number }> {
  const rpc = createPublicClient({ transport: http(url, { timeout: 20_000, retryCount: 2 }) });
  const chainId = await rpc.getChainId();
  if (expected === undefined || chainId === expected) return { rpc, chainId };
  throw new CommandFailure(`the RPC of ${chain} serves chain ${chainId}, and ${chain} is chain ${expected}`);
}
