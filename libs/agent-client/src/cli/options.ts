import { InvalidArgumentError } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';

export function parseAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('Write 0x and 40 hex digits.');
  return getAddress(text);
}

export function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('Write an http or https URL.');
  return text;
}
