import {
  type Account,
  type Address,
  type Chain,
  type Hash,
  type PublicClient,
  type Transport,
  type WalletClient,
  concatHex,
  isAddressEqual,
} from 'viem';
import {
  type Create2Deployment,
  type ContractOptions,
  canonical,
  entryPointDeployment,
  localPaymasterOwner,
  contractDeployments,
} from './address-book.js';
import { Create2DeployerMissingError, ContractDeploymentError } from './errors.js';
import { entryPointV08Abi } from './generated/EntryPointV08.js';
import { usdcPaymasterAbi } from './generated/UsdcPaymaster.js';

/** Our contracts and the entry point they need. */
export type ContractName = 'entryPoint' | 'validator' | 'paymaster' | 'executor' | 'account';

/** Options of {@link deployContracts}. */
export interface DeployContractsOptions extends ContractOptions {
  /**
   * Raise the deposit of our paymaster at the entry point to this many wei. Requires that the signer owns it.
   */
  readonly paymasterDepositWei?: bigint;
  /** Raise the stake of our paymaster to this many wei. Requires that the signer owns it. */
  readonly paymasterStakeWei?: bigint;
  /** Delay between unlocking and withdrawing the stake; 86400 by default, which public bundlers require. */
  readonly unstakeDelaySeconds?: number;
}

/** Result of {@link deployContracts}, in the order of deployment. */
export interface DeployContractsReport {
  readonly contracts: readonly {
    readonly contract: ContractName;
    readonly address: Address;
    readonly status: 'deployed' | 'present';
    readonly txHash?: Hash;
  }[];
  /** `not-owner`: only the owner can do it. Always `unchanged` with a third-party paymaster. */
  readonly paymasterDeposit: Funding;
  readonly paymasterStake: Funding;
}

type Funding = 'unchanged' | 'added' | 'not-owner';

export type Signer = WalletClient<Transport, Chain | undefined, Account>;
// Only these methods, so that a client of a chain with its own formatters, such as Base, fits.
export type Reader = Pick<PublicClient, 'getCode' | 'readContract' | 'waitForTransactionReceipt'>;

/**
 * Deploy missing contracts through the deterministic deployer, and fund our paymaster. Idempotent.
 *
 * @param wallet Pays for deployments. It must own the paymaster to fund it.
 * @throws {Create2DeployerMissingError} when the chain has no deterministic deployment proxy.
 * @throws {ContractDeploymentError} when a deployment left no code behind.
 * @example
 * await deployContracts(wallet, publicClient, { paymasterDepositWei: parseEther('1') });
 */
export async function deployContracts(
  wallet: Signer,
  publicClient: Reader,
  options: DeployContractsOptions = {},
): Promise<DeployContractsReport> {
  if (!(await hasCode(publicClient, canonical.create2Deployer))) {
    throw new Create2DeployerMissingError(canonical.create2Deployer);
  }
  const { validator, paymaster, executor, account } = contractDeployments(options);
  const plan: readonly (readonly [ContractName, Create2Deployment | undefined])[] = [
    ['entryPoint', entryPointDeployment],
    ['validator', validator],
    ['paymaster', paymaster],
    ['executor', executor],
    ['account', account],
  ];

  const contracts: DeployContractsReport['contracts'][number][] = [];
  for (const [contract, deployment] of plan) {
    if (!deployment) continue;
    contracts.push({ contract, ...(await deployOnce(wallet, publicClient, contract, deployment)) });
  }
  const funding = paymaster
    ? await fundPaymaster(wallet, publicClient, paymaster.address, options)
    : ({ paymasterDeposit: 'unchanged', paymasterStake: 'unchanged' } as const);
  return { contracts, ...funding };
}

async function deployOnce(
  wallet: Signer,
  publicClient: Reader,
  contract: ContractName,
  { address, salt, initCode }: Create2Deployment,
) {
  if (await hasCode(publicClient, address)) return { address, status: 'present' as const };
  const txHash = await wallet.sendTransaction({
    chain: wallet.chain,
    to: canonical.create2Deployer,
    data: concatHex([salt, initCode]),
  });
  await publicClient.waitForTransactionReceipt({ hash: txHash });
  if (!(await hasCode(publicClient, address))) throw new ContractDeploymentError(contract, address);
  return { address, status: 'deployed' as const, txHash };
}

async function fundPaymaster(
  wallet: Signer,
  publicClient: Reader,
  paymaster: Address,
  {
    paymasterOwner,
    paymasterDepositWei = 0n,
    paymasterStakeWei = 0n,
    unstakeDelaySeconds = 86_400,
  }: DeployContractsOptions,
): Promise<Pick<DeployContractsReport, 'paymasterDeposit' | 'paymasterStake'>> {
  const { deposit, stake } = await publicClient.readContract({
    address: entryPointDeployment.address,
    abi: entryPointV08Abi,
    functionName: 'getDepositInfo',
    args: [paymaster],
  });
  const owns = isAddressEqual(wallet.account.address, paymasterOwner ?? localPaymasterOwner);
  const base = { address: paymaster, abi: usdcPaymasterAbi, chain: wallet.chain } as const;

  const top = async (missing: bigint, send: () => Promise<Hash>): Promise<Funding> => {
    if (missing <= 0n) return 'unchanged';
    if (!owns) return 'not-owner';
    await publicClient.waitForTransactionReceipt({ hash: await send() });
    return 'added';
  };
  return {
    paymasterDeposit: await top(paymasterDepositWei - deposit, () =>
      wallet.writeContract({ ...base, functionName: 'deposit', value: paymasterDepositWei - deposit }),
    ),
    paymasterStake: await top(paymasterStakeWei - stake, () =>
      wallet.writeContract({
        ...base,
        functionName: 'addStake',
        args: [unstakeDelaySeconds],
        value: paymasterStakeWei - stake,
      }),
    ),
  };
}

async function hasCode(publicClient: Reader, address: Address): Promise<boolean> {
  return (await publicClient.getCode({ address })) !== undefined;
}
