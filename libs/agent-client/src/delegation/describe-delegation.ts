import { parseDelegation, readInstalledModules, type ModuleType } from '@yield-vault/smart-account';
import { erc20Abi, getAddress, isAddressEqual, type Address, type PublicClient } from 'viem';
import { callNode } from '../errors.js';
import { agentAddressBook, type AddressBook, type BookDeployment } from '../verify/address-book.js';

/** The calls of a node that reading a delegation needs. */
export type DelegationRpc = Pick<PublicClient, 'getChainId' | 'getCode' | 'getStorageAt' | 'readContract'>;

/** The code of a wallet. `ours` is an account implementation of the address book. */
export type Delegation =
  | { readonly kind: 'none' }
  | { readonly kind: 'contract' }
  | { readonly kind: 'ours' | 'unknown'; readonly implementation: Address };

/** A module of our account. It counts while the wallet delegates to our account. */
export interface WalletModule {
  readonly type: ModuleType;
  readonly address: Address;
  /** The account's code brings it. Any other module is in the wallet's storage, and outlives the delegation. */
  readonly isDefault: boolean;
  /** Whether the address book has it. */
  readonly known: boolean;
}

/** The delegation of an externally owned account, and the allowances of the wallet. */
export interface DelegationReport {
  readonly wallet: Address;
  readonly chainId: number;
  readonly delegation: Delegation;
  /** The default modules of our account unless removed, and the further modules in the wallet's storage. */
  readonly modules: readonly WalletModule[];
  /** False when the storage holds more modules than can be read: other code wrote them. */
  readonly modulesComplete: boolean;
  /** USDC allowances above zero of the paymasters in the address book that are paid from one, in base units. */
  readonly allowances: readonly { readonly spender: Address; readonly amount: bigint }[];
}

export interface DescribeOptions {
  /** Trusted addresses; the shipped book by default. */
  readonly addressBook?: AddressBook;
}

/** The address book has no deployment on the chain of the node. */
export class UnknownChainError extends Error {
  override readonly name = 'UnknownChainError';
  readonly code = 'UNKNOWN_CHAIN';

  constructor(readonly chainId: number) {
    super(`The address book has no deployment on chain ${chainId}`);
  }
}

/** The wallet's storage holds modules that the address book does not have. They would count after a setup. */
export class UnknownModulesError extends Error {
  override readonly name = 'UnknownModulesError';
  readonly code = 'UNKNOWN_MODULES';

  constructor(
    /** Empty when there are more than can be read. */
    readonly modules: readonly Address[],
  ) {
    super(`A setup would activate unknown modules: ${modules.join(', ') || 'too many to read'}`);
  }
}

/**
 * Read what a wallet is delegated to, which modules it has and which paymasters may take its USDC. The modules come from
 * the address book and from storage, because code could report anything.
 *
 * @throws {NodeFailedError} when the node fails
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 * @example
 * (await describeDelegation(rpc, '0x…')).delegation.kind // 'ours'
 */
export async function describeDelegation(
  rpc: DelegationRpc,
  wallet: Address,
  { addressBook = agentAddressBook }: DescribeOptions = {},
): Promise<DelegationReport> {
  return callNode(async () => {
    const chainId = await rpc.getChainId();
    const deployments = deploymentsOn(addressBook, chainId);
    const [delegation, { removedDefaults, further, modulesComplete }, allowances] = await Promise.all([
      readDelegation(rpc, wallet, deployments),
      readModules(rpc, wallet, deployments),
      readAllowances(rpc, wallet, deployments),
    ]);
    const modules = [...defaultModules(delegation, deployments, removedDefaults), ...further];
    return { wallet: getAddress(wallet), chainId, delegation, modules, modulesComplete, allowances };
  });
}

/**
 * Check, before a setup is signed, that it activates only modules of the address book. The setup brings the default
 * modules. Modules that other code left in the wallet's storage count too, as soon as the wallet delegates to our account.
 *
 * @throws {UnknownModulesError} when it would
 * @throws {NodeFailedError} when the node fails
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 */
export async function requireKnownModules(
  rpc: Pick<DelegationRpc, 'getChainId' | 'getStorageAt'>,
  wallet: Address,
  { addressBook = agentAddressBook }: DescribeOptions = {},
): Promise<void> {
  const { further, modulesComplete } = await callNode(async () =>
    readModules(rpc, wallet, deploymentsOn(addressBook, await rpc.getChainId())),
  );
  const unknown = further.filter(({ known }) => !known).map(({ address }) => address);
  if (unknown.length > 0 || !modulesComplete) throw new UnknownModulesError(unknown);
}

/** @throws {UnknownChainError} when the book has none on that chain */
export function deploymentsOn(
  book: AddressBook,
  chainId: number,
): readonly [BookDeployment, ...BookDeployment[]] {
  const [first, ...others] = book.deployments.filter((deployment) => deployment.chainId === chainId);
  if (!first) throw new UnknownChainError(chainId);
  return [first, ...others];
}

async function readDelegation(
  rpc: Pick<DelegationRpc, 'getCode'>,
  wallet: Address,
  deployments: readonly BookDeployment[],
): Promise<Delegation> {
  const code = await rpc.getCode({ address: wallet });
  if (code === undefined || code === '0x') return { kind: 'none' };
  const implementation = parseDelegation(code);
  if (implementation === undefined) return { kind: 'contract' };
  const isOurs = deployments.some(({ account }) => isAddressEqual(account, implementation));
  return { kind: isOurs ? 'ours' : 'unknown', implementation };
}

/** The default modules that the code of a wallet brings: those of its implementation, fixed in the code. */
function defaultModules(
  delegation: Delegation,
  deployments: readonly BookDeployment[],
  removed: readonly ModuleType[],
): WalletModule[] {
  if (delegation.kind !== 'ours') return [];
  const deployment = deployments.find(({ account }) => isAddressEqual(account, delegation.implementation));
  return (['validator', 'executor'] as const).flatMap((type) =>
    deployment && !removed.includes(type)
      ? [{ type, address: deployment[type], isDefault: true, known: true }]
      : [],
  );
}

async function readModules(
  rpc: Pick<DelegationRpc, 'getStorageAt'>,
  wallet: Address,
  deployments: readonly BookDeployment[],
) {
  const { removedDefaults, validators, executors, complete } = await readInstalledModules(rpc, wallet);
  const list = (type: ModuleType, addresses: readonly Address[]) =>
    addresses.map((address) => ({
      type,
      address,
      isDefault: false,
      known: deployments.some((deployment) => isAddressEqual(deployment[type], address)),
    }));
  return {
    removedDefaults,
    further: [...list('validator', validators), ...list('executor', executors)],
    modulesComplete: complete,
  };
}

async function readAllowances(
  rpc: Pick<DelegationRpc, 'readContract'>,
  wallet: Address,
  deployments: readonly [BookDeployment, ...BookDeployment[]],
): Promise<DelegationReport['allowances']> {
  const token = { address: deployments[0].usdc, abi: erc20Abi } as const;
  const paid = deployments.filter(({ paymaster }) => paymaster.kind !== 'own');
  const spenders = [...new Set(paid.map(({ paymaster }) => getAddress(paymaster.address)))];
  const allowances = await Promise.all(
    spenders.map(async (spender) => ({
      spender,
      amount: await rpc.readContract({ ...token, functionName: 'allowance', args: [wallet, spender] }),
    })),
  );
  return allowances.filter(({ amount }) => amount > 0n);
}
