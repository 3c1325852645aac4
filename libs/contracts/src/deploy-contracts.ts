import {
  type Account,
  type Address,
  type Chain,
  type Hash,
  type PublicClient,
  type Transport,
  type WalletClient,
  concatHex,
} from 'viem';
import {
  type Create2Deployment,
  type PaymasterRoles,
  canonical,
  entryPointDeployment,
  paymasterDeployment,
  walletDeployments,
} from './address-book.js';
import { chainFacts } from './chains/chains.js';
import { Create2DeployerMissingError, ContractDeploymentError, KnownKeyError } from './errors.js';
import { entryPointV08Abi } from './generated/EntryPointV08.js';
import { hasKnownKey } from './known-keys.js';

/** Our contracts and the entry point they need. */
export type ContractName = 'entryPoint' | 'validator' | 'executor' | 'account' | 'router' | 'paymaster';

/** Options of {@link deployContracts}. */
export interface DeployContractsOptions {
  /** Deploys our paymaster too, for these roles. They need not sign. */
  readonly paymaster?: PaymasterRoles | undefined;
  /** Raise the deposit of our paymaster at the entry point to this many wei. Anyone may pay it. */
  readonly paymasterDepositWei?: bigint;
  /** Stake of our paymaster in wei, paid when it is deployed; later only its owner can raise it. */
  readonly paymasterStakeWei?: bigint;
}

/** Result of {@link deployContracts}, in the order of deployment. */
export interface DeployContractsReport {
  readonly contracts: readonly {
    readonly contract: ContractName;
    readonly address: Address;
    readonly status: 'deployed' | 'present';
    readonly txHash?: Hash;
  }[];
  /** Always `unchanged` without our paymaster. */
  readonly paymasterDeposit: 'unchanged' | 'added';
  /** In wei; 0 without our paymaster. Less than asked for where somebody deployed it before: its owner adds the rest. */
  readonly paymasterStake: bigint;
}

export type Signer = WalletClient<Transport, Chain | undefined, Account>;
// Only these methods, so that a client of a chain with its own formatters, such as Base, fits.
export type Reader = Pick<
  PublicClient,
  'getChainId' | 'getCode' | 'readContract' | 'waitForTransactionReceipt'
>;

/**
 * Deploy missing contracts through the deterministic deployer, and fund our paymaster. Idempotent.
 *
 * @param wallet Pays for everything. It needs no role.
 * @throws {UnsupportedChainError} when the chain is unknown.
 * @throws {KnownKeyError} when the key of the owner or the pauser is public, unless the node is Anvil or Hardhat.
 * @throws {Create2DeployerMissingError} when the chain has no deterministic deployment proxy.
 * @throws {ContractDeploymentError} when a deployment left no code behind.
 * @example
 * await deployContracts(wallet, publicClient, { paymaster: { owner }, paymasterDepositWei: parseEther('1') });
 */
export async function deployContracts(
  wallet: Signer,
  publicClient: Reader,
  options: DeployContractsOptions = {},
): Promise<DeployContractsReport> {
  if (!(await hasCode(publicClient, canonical.create2Deployer))) {
    throw new Create2DeployerMissingError(canonical.create2Deployer);
  }
  const facts = chainFacts(await publicClient.getChainId());
  if (options.paymaster) await refuseKnownKeys(options.paymaster, wallet);
  const { validator, executor, account, router } = walletDeployments();
  const paymaster = options.paymaster && paymasterDeployment(facts, options.paymaster);
  const plan: readonly (readonly [ContractName, Create2Deployment | undefined, bigint?])[] = [
    ['entryPoint', entryPointDeployment],
    ['validator', validator],
    ['executor', executor],
    ['account', account],
    ['router', router],
    ['paymaster', paymaster, options.paymasterStakeWei],
  ];

  const contracts: DeployContractsReport['contracts'][number][] = [];
  for (const [contract, deployment, value] of plan) {
    if (!deployment) continue;
    contracts.push({ contract, ...(await deployOnce(wallet, publicClient, contract, deployment, value)) });
  }
  if (!paymaster) return { contracts, paymasterDeposit: 'unchanged', paymasterStake: 0n };
  const funds = await raiseDeposit(wallet, publicClient, paymaster.address, options.paymasterDepositWei);
  return { contracts, ...funds };
}

async function refuseKnownKeys({ owner, pauser = owner }: PaymasterRoles, wallet: Signer): Promise<void> {
  for (const [role, address] of Object.entries({ owner, pauser }) as ['owner' | 'pauser', Address][])
    if (hasKnownKey(address) && !(await isLocalNode(wallet))) throw new KnownKeyError(role, address);
}

async function isLocalNode(wallet: Signer): Promise<boolean> {
  const version: unknown = await wallet.request({ method: 'web3_clientVersion' } as never).catch(() => '');
  return /^(anvil|hardhat)/i.test(String(version));
}

async function deployOnce(
  wallet: Signer,
  publicClient: Reader,
  contract: ContractName,
  { address, salt, initCode }: Create2Deployment,
  value = 0n,
) {
  if (await hasCode(publicClient, address)) return { address, status: 'present' as const };
  const txHash = await wallet.sendTransaction({
    chain: wallet.chain,
    to: canonical.create2Deployer,
    data: concatHex([salt, initCode]),
    value,
  });
  await publicClient.waitForTransactionReceipt({ hash: txHash });
  if (!(await hasCode(publicClient, address))) throw new ContractDeploymentError(contract, address);
  return { address, status: 'deployed' as const, txHash };
}

async function raiseDeposit(
  wallet: Signer,
  publicClient: Reader,
  paymaster: Address,
  wanted = 0n,
): Promise<Omit<DeployContractsReport, 'contracts'>> {
  const entryPoint = { address: entryPointDeployment.address, abi: entryPointV08Abi } as const;
  const { deposit, stake: paymasterStake } = await publicClient.readContract({
    ...entryPoint,
    functionName: 'getDepositInfo',
    args: [paymaster],
  });
  if (deposit >= wanted) return { paymasterDeposit: 'unchanged', paymasterStake };
  const hash = await wallet.writeContract({
    ...entryPoint,
    chain: wallet.chain,
    functionName: 'depositTo',
    args: [paymaster],
    value: wanted - deposit,
  });
  await publicClient.waitForTransactionReceipt({ hash });
  return { paymasterDeposit: 'added', paymasterStake };
}

async function hasCode(publicClient: Reader, address: Address): Promise<boolean> {
  return (await publicClient.getCode({ address })) !== undefined;
}
