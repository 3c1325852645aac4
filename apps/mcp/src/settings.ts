import {
  agentAddressBook,
  extendAddressBook,
  localAddressBook,
  parseAddressBook,
  type AddressBook,
} from '@yield-vault/agent-client';
import { ConfigError, decimalPattern, hash32Pattern } from '@yield-vault/protocol';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
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
  /** Most that all deposits of 24 hours may move, in the same form. */
  readonly maxDaily: Readonly<Record<string, string>>;
  /** Where these deposits are counted. */
  readonly stateFile: string;
  /** In addition to the shipped registry. */
  readonly allowedVaults: readonly Address[];
}

/** The key that pays for requests. */
export interface PayerSettings {
  readonly account: LocalAccount;
  /** Highest price of one request. */
  readonly maxPrice: `$${number}`;
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
  readonly payer: PayerSettings | undefined;
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

const secretKey = z.string().regex(hash32Pattern, 'Give 0x and 64 hex digits.').optional();

const environment = z.object({
  SERVICE_URL: url.default('http://127.0.0.1:3000'),
  RPC_URL: url.optional(),
  ADDRESS_BOOK: addressBook.default(agentAddressBook),
  MAX_GAS_USDC: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'Give an amount of USDC, such as "12.5".')
    .transform((amount) => parseUnits(amount, 6))
    .optional(),
  PRIVATE_KEY: secretKey,
  MAX_AMOUNT: amounts.optional(),
  MAX_DAILY: amounts.optional(),
  STATE_FILE: z.string().optional(),
  ALLOWED_VAULTS: addresses.optional(),
  PAYER_KEY: secretKey,
  MAX_PRICE: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, 'Give USD, such as "0.05".')
    .transform((price) => `$${price}` as `$${number}`)
    .optional(),
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
  const problems = problemsOf(parsed.data, transport);
  if (problems.length > 0) throw refuse(problems);
  return {
    serviceUrl: SERVICE_URL,
    rpcUrl: RPC_URL,
    addressBook: ADDRESS_BOOK,
    maxGasUsdc: MAX_GAS_USDC,
    key: keyOf(parsed.data, env),
    payer: payerOf(parsed.data),
    host: HOST,
    port: PORT,
  };
}

type Environment = z.infer<typeof environment>;

/** Which variables have no effect, or no limit, without which others. */
const required: Readonly<Partial<Record<keyof Environment, readonly (keyof Environment)[]>>> = {
  PRIVATE_KEY: ['RPC_URL', 'MAX_AMOUNT', 'MAX_DAILY'],
  MAX_AMOUNT: ['PRIVATE_KEY'],
  MAX_DAILY: ['PRIVATE_KEY'],
  STATE_FILE: ['PRIVATE_KEY'],
  ALLOWED_VAULTS: ['PRIVATE_KEY'],
  PAYER_KEY: ['MAX_PRICE'],
  MAX_PRICE: ['PAYER_KEY'],
};

function problemsOf(given: Environment, transport: TransportKind): string[] {
  const names = (Object.keys(required) as (keyof Environment)[]).filter((name) => given[name] !== undefined);
  return names.flatMap((name) => [
    ...(name.endsWith('_KEY') && transport === 'http'
      ? [`${name}: A server over HTTP never holds a key. Remove it, or use stdio.`]
      : []),
    ...(required[name] ?? [])
      .filter((other) => given[other] === undefined)
      .map((other) => `${name}: It requires ${other}. Set that too, or remove ${name}.`),
  ]);
}

function keyOf(
  { PRIVATE_KEY, RPC_URL, MAX_AMOUNT, MAX_DAILY, STATE_FILE, ALLOWED_VAULTS = [] }: Environment,
  env: NodeJS.ProcessEnv,
): KeySettings | undefined {
  if (!PRIVATE_KEY || !RPC_URL || !MAX_AMOUNT || !MAX_DAILY) return undefined;
  const account = accountOf('PRIVATE_KEY', PRIVATE_KEY);
  const home = env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state');
  const stateFile = STATE_FILE ?? join(home, 'yield-vault', `${account.address}.jsonl`);
  const limits = { maxAmounts: MAX_AMOUNT, maxDaily: MAX_DAILY, allowedVaults: ALLOWED_VAULTS };
  return { account, rpcUrl: RPC_URL, stateFile, ...limits };
}

function payerOf({ PAYER_KEY, MAX_PRICE }: Environment): PayerSettings | undefined {
  if (!PAYER_KEY || !MAX_PRICE) return undefined;
  return { account: accountOf('PAYER_KEY', PAYER_KEY), maxPrice: MAX_PRICE };
}

function accountOf(name: string, key: string): LocalAccount {
  try {
    return privateKeyToAccount(key as Hex);
  } catch {
    // The error of the library could quote the key.
    throw refuse([`${name}: It is no key of secp256k1.`]);
  }
}
