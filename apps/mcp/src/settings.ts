import {
  agentAddressBook,
  extendAddressBook,
  localAddressBook,
  parseAddressBook,
  type AddressBook,
} from '@yield-vault/agent-client';
import { ConfigError, decimalPattern, hash32Pattern } from '@yield-vault/protocol';
import { readFileSync } from 'node:fs';
import { getAddress, isAddress, parseUnits, type Address, type Hex, type LocalAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';

/** How clients connect. */
export type TransportKind = 'stdio' | 'http';

/** The key that the user of a stdio server gave it, and its limits. */
export interface KeySettings {
  readonly account: LocalAccount;
  readonly rpcUrl: string;
  /** Most that one deposit may move, in human units, by symbol in upper case. Other assets are not deposited. */
  readonly maxAmounts: Readonly<Record<string, string>>;
  /** In addition to the shipped registry. */
  readonly allowedVaults: readonly Address[];
}

/** The settings of a server. */
export interface Settings {
  readonly serviceUrl: string;
  /** The user's own node. Without it, nobody checks minimums. */
  readonly rpcUrl: string | undefined;
  readonly addressBook: AddressBook;
  /** Most that the gas of one operation may cost, in base units of USDC; by default the limit of the deployment. */
  readonly maxGasUsdc?: bigint | undefined;
  readonly key: KeySettings | undefined;
  readonly host: string;
  readonly port: number;
}

const url = z.url({ protocol: /^https?$/, error: 'Give an http or https URL.' });
const amountForm = 'Give an amount with its asset, such as "100 USDC"; separate several by commas.';
const amounts = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const entries = text.split(',').map((entry) => entry.trim().split(/\s+/));
  if (entries.some(([amount = '', _symbol, ...rest]) => !decimalPattern.test(amount) || rest.length > 0))
    context.addIssue({ code: 'custom', message: amountForm });
  return Object.fromEntries(entries.map(([amount = '', symbol = 'USDC']) => [symbol.toUpperCase(), amount]));
});
const addresses = z.string().transform((text, context): readonly Address[] => {
  const given = text.split(',').map((address) => address.trim());
  const wrong = given.findIndex((address) => !isAddress(address));
  if (wrong < 0) return given.map((address) => getAddress(address));
  // It is not quoted: somebody may paste a key here.
  const message = `Entry ${wrong + 1} is no address, or its checksum is wrong.`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
const addressBook = z.string().transform((text, context): AddressBook => {
  if (text === 'local') return localAddressBook;
  try {
    return extendAddressBook(agentAddressBook, parseAddressBook(JSON.parse(readFileSync(text, 'utf8'))));
  } catch (error) {
    context.addIssue({ code: 'custom', message: `Give "local" or a JSON file. ${(error as Error).message}` });
    return z.NEVER;
  }
});

const environment = z.object({
  SERVICE_URL: url.default('http://127.0.0.1:3000'),
  RPC_URL: url.optional(),
  ADDRESS_BOOK: addressBook.default(agentAddressBook),
  MAX_GAS_USDC: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'Give an amount of USDC, such as "12.5".')
    .transform((amount) => parseUnits(amount, 6))
    .optional(),
  PRIVATE_KEY: z.string().regex(hash32Pattern, 'Give 0x and 64 hex digits.').optional(),
  MAX_AMOUNT: amounts.optional(),
  ALLOWED_VAULTS: addresses.optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number('Give a port.').int('Give a port.').min(0).max(65_535).default(3003),
});

const refuse = (problems: readonly string[]) => new ConfigError('The environment', problems);

/**
 * Read the settings of a server from its environment. An empty variable counts as absent.
 *
 * @throws {ConfigError} listing every problem, without any value of a secret
 */
export function readSettings(env: NodeJS.ProcessEnv, transport: TransportKind): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success)
    throw refuse(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  const { SERVICE_URL, RPC_URL, ADDRESS_BOOK, MAX_GAS_USDC, HOST, PORT } = parsed.data;
  return {
    serviceUrl: SERVICE_URL,
    rpcUrl: RPC_URL,
    addressBook: ADDRESS_BOOK,
    maxGasUsdc: MAX_GAS_USDC,
    key: keyOf(parsed.data, transport),
    host: HOST,
    port: PORT,
  };
}

function keyOf(
  { PRIVATE_KEY, RPC_URL, MAX_AMOUNT, ALLOWED_VAULTS }: z.infer<typeof environment>,
  transport: TransportKind,
): KeySettings | undefined {
  if (PRIVATE_KEY === undefined) {
    const unused = MAX_AMOUNT ? 'MAX_AMOUNT' : ALLOWED_VAULTS && 'ALLOWED_VAULTS';
    if (unused) throw refuse([`${unused}: It limits PRIVATE_KEY, which is not set. Remove it.`]);
    return undefined;
  }
  const problems = [
    transport === 'http' && 'PRIVATE_KEY: A server over HTTP never holds a key. Remove it, or use stdio.',
    !RPC_URL && 'RPC_URL: PRIVATE_KEY requires it, because minimum outputs come from your own node.',
    !MAX_AMOUNT && `MAX_AMOUNT: PRIVATE_KEY requires it. ${amountForm}`,
  ].filter((problem) => problem !== false);
  if (!RPC_URL || !MAX_AMOUNT || problems.length > 0) throw refuse(problems);
  try {
    const account = privateKeyToAccount(PRIVATE_KEY as Hex);
    return { account, rpcUrl: RPC_URL, maxAmounts: MAX_AMOUNT, allowedVaults: ALLOWED_VAULTS ?? [] };
  } catch {
    // The error of the library could quote the key.
    throw refuse(['PRIVATE_KEY: It is no key of secp256k1.']);
  }
}
