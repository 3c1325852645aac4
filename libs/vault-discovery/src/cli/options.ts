import { InvalidArgumentError } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';

/** RPC endpoints by chain key. */
export type RpcUrls = Readonly<Record<string, string>>;

/** Read `base=http://127.0.0.1:8545`, once for each chain. */
export function parseRpc(text: string, previous: RpcUrls = {}): RpcUrls {
  const [, chain, url] = /^([a-z][a-z0-9-]*)=(.+)$/.exec(text) ?? [];
  if (chain === undefined || url === undefined || !isHttpUrl(url))
    throw new InvalidArgumentError('Write <chain>=<url>, e.g. base=https://mainnet.base.org.');
  if (Object.hasOwn(previous, chain)) throw new InvalidArgumentError(`${chain} has an RPC already.`);
  return { ...previous, [chain]: url };
}

export function parseUrl(text: string): string {
  if (!isHttpUrl(text)) throw new InvalidArgumentError('Write an http or https URL.');
  return text.replace(/\/+$/, '');
}

export function parseAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('Write 0x and 40 hex digits.');
  return getAddress(text);
}

export function parseBatchSize(text: string): number {
  const size = Number(text);
  if (!Number.isSafeInteger(size) || size < 1) throw new InvalidArgumentError('Write a whole number from 1.');
  return size;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
