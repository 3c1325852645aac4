import { hash32Pattern, vaultIdOf, type RebalanceSteering } from '@yield-vault/protocol';
import { getAddress, isAddress, type Address, type Hex, type LocalAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { findToken } from '../flow/expected-operation.js';
import type { OperationRequest } from '../flow/types.js';
import { createAgentClient, type AgentClient } from '../http/create-agent-client.js';
import type { Payer } from '../http/create-caller.js';
import {
  agentAddressBook,
  extendAddressBook,
  localAddressBook,
  parseAddressBook,
  type AddressBook,
} from '../verify/address-book.js';
import { CommandFailure, exitCodes, readJson, type CliIo } from './io.js';

type Texts = Partial<
  Readonly<Record<'rpc' | 'book' | 'asset' | 'vault' | 'wallet' | 'amount' | 'expect', string>>
>;

/** The options of the commands. A vault is its address or its id. */
export interface Options extends Texts, Omit<RebalanceSteering, 'targetVaultId'> {
  readonly url: string;
  /** USD. */
  readonly maxPrice?: number;
  readonly local?: boolean;
  readonly json?: boolean;
  readonly chain: string;
  readonly percentage?: number;
  readonly target?: readonly string[];
  readonly revokeUnknown?: boolean;
}

/** The options of a command, its service and its address book. */
export interface Session extends Options {
  readonly client: AgentClient;
  readonly addressBook: AddressBook;
}

/**
 * Open the service of a command, which is paid where `--max-price` is given. Load the address book.
 *
 * @throws {CommandFailure} when a file cannot be read, or a key is missing
 * @throws {InvalidAddressBookError} when the file is no address book
 */
export async function openSession(options: Options, io: CliIo): Promise<Session> {
  const { url, local, book } = options;
  const shipped = local ? localAddressBook : agentAddressBook;
  return {
    ...options,
    client: createAgentClient({ baseUrl: url, payer: await payerOf(options, io) }),
    addressBook: book ? extendAddressBook(shipped, parseAddressBook(await readJson(book, io))) : shipped,
  };
}

async function payerOf({ maxPrice }: Options, io: CliIo): Promise<Payer | undefined> {
  if (maxPrice === undefined) return undefined;
  // An optional peer dependency.
  const { createPayer } = await import('../x402.js');
  const pay = createPayer(accountOf('PAYER_KEY', io), { maxPayment: `$${maxPrice}` });
  return (demand) =>
    pay(demand).catch((error: unknown) => {
      throw new CommandFailure(`Nothing was paid. ${String(error)}`, exitCodes.refused, 'PAYMENT_REFUSED');
    });
}

/** The account of a private key in the environment. */
export function accountOf(name: 'PRIVATE_KEY' | 'PAYER_KEY', io: CliIo): LocalAccount {
  const key = io.env(name) ?? '';
  if (hash32Pattern.test(key)) return privateKeyToAccount(key as Hex);
  throw new CommandFailure(
    `${name} is no private key. Set the environment variable to 0x and 64 hex digits.`,
  );
}

/** Require an option that only some uses of a command need. */
export function required<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new CommandFailure(`--${name} is missing.`);
}

/** Read an address. */
export function toAddress(text: string): Address {
  if (isAddress(text)) return getAddress(text);
  throw new CommandFailure(`${text} is no address, or its checksum is wrong. Write 0x and 40 hex digits.`);
}

/**
 * Read the request of a command line.
 *
 * @throws {CommandFailure} when an option is missing or belongs to another operation
 */
export async function readRequest(operation: string, session: Session) {
  const {
    client,
    addressBook,
    chain,
    asset = 'USDC',
    amount,
    percentage,
    target,
    strategy,
    riskTolerance,
  } = session;
  const { chainId } = findToken(addressBook, chain, asset);
  const toVault = async (text: string): Promise<Address> => {
    if (!/^\d+$/.test(text)) return toAddress(text);
    const { vaultAddress } = await client.explain(text);
    // The id is a hash of the address, so the service cannot name another vault.
    if (vaultIdOf(chainId, vaultAddress) === text) return vaultAddress;
    throw new CommandFailure(`Vault ${text} is not on ${chain}. Check --chain.`);
  };
  const given = Object.entries({ deposit: amount, redeem: percentage, rebalance: target });
  if (given.flatMap(([name, value]) => (value === undefined ? [] : name)).join() !== operation)
    throw new CommandFailure(
      `These are not the options of ${operation}: deposit takes --amount, redeem --percentage, rebalance --target.`,
    );
  const vault = await toVault(required(session.vault, 'vault'));
  const targets = await Promise.all((target ?? []).map(toVault));
  const fields = { amount, percentage, targets, strategy, riskTolerance };
  return { request: { operation, vault, asset, ...fields } as OperationRequest, chainId };
}
