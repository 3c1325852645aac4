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
  type SuiteOptions,
  canonical,
  entryPointDeployment,
  localPaymasterOwner,
  suiteDeployments,
} from './address-book.js';
import { Create2DeployerMissingError, SuiteDeploymentError } from './errors.js';
import { entryPointV08Abi } from './generated/EntryPointV08.js';
import { usdcPaymasterAbi } from './generated/UsdcPaymaster.js';

/** Contracts of the suite and the entry point they need. */
export type SuiteContract = 'entryPoint' | 'account' | 'validator' | 'paymaster' | 'executor';

/** What {@link deploySuite} is to bring about. */
export interface DeploySuiteOptions extends SuiteOptions {
  /**
   * Bring the deposit of the suite's own paymaster at the entry point up to this many wei. Only done when the signer is
   * its owner.
   */
  readonly paymasterDepositWei?: bigint;
  /** Bring the stake of the suite's own paymaster up to this many wei. Only done when the signer is its owner. */
  readonly paymasterStakeWei?: bigint;
  /** Delay between unlocking and withdrawing the stake; 86400 by default, which public bundlers ask for. */
  readonly unstakeDelaySeconds?: number;
}

/** What was done, in the order in which it was done. */
export interface DeploySuiteReport {
  readonly contracts: readonly {
    readonly contract: SuiteContract;
    readonly address: Address;
    readonly status: 'deployed' | 'present';
    readonly txHash?: Hash;
  }[];
  /** `not-owner`: wanted, but left to the owner. Always `unchanged` where the paymaster is one of others. */
  readonly paymasterDeposit: Funding;
  readonly paymasterStake: Funding;
}

type Funding = 'unchanged' | 'added' | 'not-owner';

type Signer = WalletClient<Transport, Chain | undefined, Account>;
// Only what is used: the client of a chain with formatters of its own, like Base, fits too.
type Reader = Pick<PublicClient, 'getCode' | 'readContract' | 'waitForTransactionReceipt'>;

/**
 * Deploy what is missing of the suite through the deterministic deployer, and fund its paymaster. Idempotent.
 *
 * @param wallet Pays, and owns the paymaster when its funding is wanted.
 * @throws {Create2DeployerMissingError} when the chain has no deterministic deployment proxy.
 * @throws {SuiteDeploymentError} when a deployment left no code behind.
 * @example
 * await deploySuite(wallet, publicClient, { paymasterDepositWei: parseEther('1') });
 */
export async function deploySuite(
  wallet: Signer,
  publicClient: Reader,
  options: DeploySuiteOptions = {},
): Promise<DeploySuiteReport> {
  if (!(await hasCode(publicClient, canonical.create2Deployer))) {
    throw new Create2DeployerMissingError(canonical.create2Deployer);
  }
  const { account, validator, paymaster, executor } = suiteDeployments(options);
  const plan: readonly (readonly [SuiteContract, Create2Deployment | undefined])[] = [
    ['entryPoint', entryPointDeployment(options.entryPointVersion)],
    ['account', account],
    ['validator', validator],
    ['paymaster', paymaster],
    ['executor', executor],
  ];

  const contracts: DeploySuiteReport['contracts'][number][] = [];
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
  contract: SuiteContract,
  { address, salt, initCode }: Create2Deployment,
) {
  if (await hasCode(publicClient, address)) return { address, status: 'present' as const };
  const txHash = await wallet.sendTransaction({
    chain: wallet.chain,
    to: canonical.create2Deployer,
    data: concatHex([salt, initCode]),
  });
  await publicClient.waitForTransactionReceipt({ hash: txHash });
  if (!(await hasCode(publicClient, address))) throw new SuiteDeploymentError(contract, address);
  return { address, status: 'deployed' as const, txHash };
}

async function fundPaymaster(
  wallet: Signer,
  publicClient: Reader,
  paymaster: Address,
  {
    entryPointVersion,
    paymasterOwner,
    paymasterDepositWei = 0n,
    paymasterStakeWei = 0n,
    unstakeDelaySeconds = 86_400,
  }: DeploySuiteOptions,
): Promise<Pick<DeploySuiteReport, 'paymasterDeposit' | 'paymasterStake'>> {
  const { deposit, stake } = await publicClient.readContract({
    address: entryPointDeployment(entryPointVersion).address,
    // The same in every version.
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
