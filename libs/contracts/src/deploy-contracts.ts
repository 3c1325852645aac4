import {
  type Account,
  type Address,
  type Chain,
  type Hash,
  type Hex,
  type PublicClient,
  type Transport,
  type WalletClient,
  concatHex,
  encodeFunctionData,
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
    /** Where it was deployed now. */
    readonly block?: bigint;
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
  const plan = await planContracts(wallet, publicClient, options);
  const contracts: DeployContractsReport['contracts'][number][] = [];
  for (const { contract, address, call } of plan.contracts) {
    const receipt = call && (await sendCall(wallet, publicClient, call));
    if (receipt && !(await hasCode(publicClient, address)))
      throw new ContractDeploymentError(contract, address);
    const { transactionHash: txHash, blockNumber: block } = receipt ?? {};
    contracts.push({
      contract,
      address,
      ...(txHash ? { status: 'deployed', txHash, block } : { status: 'present' }),
    });
  }
  if (plan.deposit) await sendCall(wallet, publicClient, plan.deposit);
  return {
    contracts,
    paymasterDeposit: plan.deposit ? 'added' : 'unchanged',
    paymasterStake: plan.paymasterStake,
  };
}

export const entryPoint = { address: canonical.entryPointV08, abi: entryPointV08Abi } as const;

/** A transaction without sender, nonce, gas and signature. */
export interface Call {
  readonly purpose: string;
  readonly to: Address;
  /** In wei. */
  readonly value: bigint;
  readonly data: Hex;
}

/** List the transactions of {@link deployContracts}, in their order. A contract that is deployed has no call. */
export async function planContracts(wallet: Signer, publicClient: Reader, options: DeployContractsOptions) {
  if (!(await hasCode(publicClient, canonical.create2Deployer))) {
    throw new Create2DeployerMissingError(canonical.create2Deployer);
  }
  const facts = chainFacts(await publicClient.getChainId());
  if (options.paymaster) await refuseKnownKeys(options.paymaster, wallet);
  const { validator, executor, account, router } = walletDeployments();
  const paymaster = options.paymaster && paymasterDeployment(facts, options.paymaster);
  const deployments: readonly (readonly [ContractName, Create2Deployment | undefined, bigint?])[] = [
    ['entryPoint', entryPointDeployment],
    ['validator', validator],
    ['executor', executor],
    ['account', account],
    ['router', router],
    ['paymaster', paymaster, options.paymasterStakeWei],
  ];

  const contracts = [];
  for (const [contract, deployment, value = 0n] of deployments) {
    if (!deployment) continue;
    const { address, salt, initCode } = deployment;
    const isMissing = !(await hasCode(publicClient, address));
    const data = concatHex([salt, initCode]);
    const call: Call = { purpose: `deploy ${contract}`, to: canonical.create2Deployer, value, data };
    contracts.push({ contract, address, call: isMissing ? call : undefined });
  }
  if (!paymaster) return { contracts, deposit: undefined, paymasterStake: 0n };
  const args = [paymaster.address] as const;
  const funds = contracts[0]!.call
    ? { deposit: 0n, stake: 0n }
    : await publicClient.readContract({ ...entryPoint, functionName: 'getDepositInfo', args });
  const deposit = {
    purpose: 'raise the deposit of the paymaster',
    to: entryPoint.address,
    data: encodeFunctionData({ ...entryPoint, functionName: 'depositTo', args }),
  };
  const missing = (options.paymasterDepositWei ?? 0n) - funds.deposit;
  return {
    contracts,
    deposit: missing > 0n ? { ...deposit, value: missing } : undefined,
    paymasterStake: contracts.at(-1)!.call?.value ?? funds.stake,
  };
}

async function refuseKnownKeys({ owner, pauser = owner }: PaymasterRoles, wallet: Signer): Promise<void> {
  for (const [role, address] of Object.entries({ owner, pauser }) as ['owner' | 'pauser', Address][])
    if (hasKnownKey(address) && !(await isLocalNode(wallet))) throw new KnownKeyError(role, address);
}

async function isLocalNode(wallet: Signer): Promise<boolean> {
  const version: unknown = await wallet.request({ method: 'web3_clientVersion' } as never).catch(() => '');
  return /^(anvil|hardhat)/i.test(String(version));
}

/** Send a transaction and wait for it. It may have reverted. */
export async function sendCall(wallet: Signer, publicClient: Reader, { to, data, value }: Call) {
  const hash = await wallet.sendTransaction({ chain: wallet.chain, to, data, value });
  return publicClient.waitForTransactionReceipt({ hash });
}

async function hasCode(publicClient: Reader, address: Address): Promise<boolean> {
  return (await publicClient.getCode({ address })) !== undefined;
}
