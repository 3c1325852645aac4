import { execSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { type Keystore, decrypt, toKey } from 'ox/Keystore';
import { read } from 'read';
import {
  type Address,
  type PublicClient,
  createPublicClient,
  createWalletClient,
  getAddress,
  http,
  isAddress,
  parseEther,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type ContractAddresses,
  type PaymasterRoles,
  contractAddresses,
  walletContracts,
} from '../address-book.js';
import type { Call, Signer } from '../deploy-contracts.js';

/** The output of a command: results, and notes on the way. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
}

export interface CommonOptions {
  readonly rpc: string;
  readonly owner?: Address;
  readonly pauser?: Address;
  readonly paymaster?: Address;
  /** Who sends the transactions later, e.g. a Safe: the command prints them. */
  readonly unsigned?: Address;
  readonly keystore?: string;
  readonly passwordFile?: string;
  readonly keyCommand?: string;
}

export function readerOf({ rpc }: CommonOptions): PublicClient {
  return createPublicClient({ transport: http(rpc) });
}

/** Open the wallet of the sender; with `unsigned` it cannot sign. */
export async function walletOf(options: CommonOptions): Promise<Signer> {
  const { unsigned, rpc } = options;
  const account = unsigned ?? accountOf(await readKey(options));
  return createWalletClient({ account, transport: http(rpc) });
}

// No error of these contains a part of the key, of the password or of the command.
function accountOf(key: string) {
  try {
    return privateKeyToAccount(`0x${key.trim().replace(/^0x/, '')}`);
  } catch {
    throw new Error(
      'The sender has an invalid private key: it is 64 hex digits, and below the order of secp256k1.',
    );
  }
}

async function readKey({ keyCommand, keystore, passwordFile }: CommonOptions): Promise<string> {
  if (keyCommand)
    try {
      return execSync(keyCommand, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] });
    } catch (error) {
      throw new Error(`--key-command ended with code ${(error as { status: number }).status}.`);
    }
  if (!keystore) throw new Error('Give --keystore, --key-command or --unsigned.');
  const text = readFileSync(keystore, 'utf8');
  const password = passwordFile
    ? readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '')
    : await Promise.race([
        read({ prompt: 'Password:', silent: true, output: process.stderr }),
        once(process, 'beforeExit').then(() => {
          throw new Error('No terminal: use --password-file.');
        }),
      ]);
  try {
    // ethers writes the capital.
    const content = JSON.parse(text.replace('"Crypto"', '"crypto"')) as Keystore;
    return decrypt(content, toKey(content, { password }));
  } catch {
    throw new Error(`${keystore} has another password, or is not Web3 Secret Storage of version 3.`);
  }
}

export async function addressesOf(options: CommonOptions): Promise<ContractAddresses> {
  const { paymaster } = options;
  if (paymaster) return { ...walletContracts, paymaster };
  return contractAddresses(await readerOf(options).getChainId(), rolesOf(options));
}

export function rolesOf({ owner, pauser }: CommonOptions): PaymasterRoles {
  if (!owner) throw new Error('Give --owner: the owner of our paymaster at its deployment, e.g. a Safe.');
  return { owner, ...(pauser && { pauser }) };
}

/** Print transactions as Safe's Transaction Builder imports them. It reads no `purpose`. */
export async function outBatch(
  options: CommonOptions,
  io: CliIo,
  transactions: readonly (Call | undefined)[],
): Promise<void> {
  const batch = {
    version: '1.0',
    chainId: String(await readerOf(options).getChainId()),
    createdAt: Date.now(),
    meta: { name: 'Yield Vault contracts', createdFromSafeAddress: options.unsigned },
    transactions: transactions.filter(Boolean),
  };
  io.out(toJson(batch));
}

export function parseAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('Write 0x and 40 hex digits.');
  return getAddress(text);
}

export function parseAmount(text: string): bigint {
  if (!/^\d+(\.\d{1,18})?$/.test(text)) throw new InvalidArgumentError('Write an amount of ether, e.g. 0.1.');
  return parseEther(text);
}

export const toJson = (value: unknown) =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item), 2);
