import {
  canonical,
  inspectSuite,
  deploySuite,
  suiteAddresses,
  usdcPaymasterAbi,
  entryPointV08Abi,
  type SuiteContract,
  type SuiteOptions,
} from '@yield-vault/contracts';
import {
  localMulticall3DeployedBytecode,
  localPriceFeedAbi,
  localPriceFeedDeployedBytecode,
} from '@yield-vault/contracts/local';
import { entryPointVersionOf, ForkNotRunningError, type EntryPointVersion } from '@yield-vault/protocol';
import { encodeFunctionData, isAddressEqual, numberToHex, parseEther, type PublicClient } from 'viem';
import { forkOperator, payGasOf } from '../funding/fork-accounts.js';
import { readUsdc } from '../funding/read-usdc.js';
import type { LaunchedFork } from '../ports.js';
import { createForkClient, createForkWallet } from '../rpc/create-fork-client.js';
import type { ForkChain, FundedBalances, Funding } from '../types.js';

const operatorBalance = parseEther('1000');
const bundlerBalance = parseEther('1000');
const paymasterDeposit = parseEther('100');
const paymasterStake = parseEther('10');
const unstakeDelaySeconds = 86_400;
const paymasterUsdc = 1_000_000n;

interface Provisioning {
  readonly fork: LaunchedFork;
  readonly chain: ForkChain;
  readonly client: PublicClient;
}

/**
 * Put what wallets and bundlers need onto a fork, as far as it is missing: Multicall3, our contracts, a price that
 * stays fresh, the paymaster's deposit, stake and USDC, and gas for the bundler. A paymaster of others gets a deposit and
 * USDC; its price and its stake are its own.
 *
 * @throws {ForkNotRunningError} the contracts are missing and cannot be deployed, or are not those of this release
 */
export async function provisionFork(
  fork: LaunchedFork,
  chain: ForkChain,
  fund: (funding: Funding) => Promise<FundedBalances>,
): Promise<void> {
  const on = { fork, chain, client: createForkClient(fork) };
  await payGasOf(fork, forkOperator, operatorBalance);
  await placeMulticall3(on);
  await placeSuite(on);
  if (chain.paymaster === 'own') await keepPriceFresh(on);
  await fillPaymaster(on, fund);
  for (const address of chain.bundlerAccounts) await payGasOf(fork, address, bundlerBalance);
}

async function placeMulticall3({ fork, client }: Provisioning): Promise<void> {
  if (await client.getCode({ address: canonical.multicall3 })) return;
  await fork.setCode(canonical.multicall3, localMulticall3DeployedBytecode);
}

async function placeSuite({ fork, chain, client }: Provisioning): Promise<void> {
  const faults = async () =>
    (
      await inspectSuite(client, chain.contracts, {
        entryPointVersion: versionOf(chain),
        paymaster: chain.paymaster,
      })
    ).filter(({ status }) => status !== 'ok');
  let found = await faults();
  const options = suiteOptionsOf(chain);
  if (options && found.some(({ status }) => status === 'missing')) {
    await deploySuite(createForkWallet(fork, chain.chainId, forkOperator), client, options);
    found = await faults();
  }
  if (found.length === 0) return;
  const list = found.map(({ contract, status }): [SuiteContract, string] => [contract, status]);
  throw new ForkNotRunningError({
    detail: `The contracts on the fork of ${chain.key} are not those of this release: ${list
      .map(([contract, status]) => `${contract} ${status}`)
      .join(', ')}.`,
    details: { chain: chain.key, contracts: Object.fromEntries(list) },
    retryable: false,
    nextAction: 'Ask the operator to check the contract addresses of the deployment.',
  });
}

/** @returns `undefined` when deployments would not end up where they are looked for */
function suiteOptionsOf(chain: ForkChain): SuiteOptions | undefined {
  const { paymasterOwner, paymaster } = chain.contracts;
  if (chain.paymaster === 'own' && !paymasterOwner) return undefined;
  const options: SuiteOptions = {
    entryPointVersion: versionOf(chain),
    ...(chain.paymaster === 'other' && { paymaster }),
    ...(paymasterOwner && { paymasterOwner }),
  };
  const computed = suiteAddresses(options);
  const follow = (['account', 'validator', 'executor', 'paymaster'] as const).every((contract) =>
    isAddressEqual(computed[contract], chain.contracts[contract]),
  );
  return follow ? options : undefined;
}

function versionOf({ entryPoint }: ForkChain): EntryPointVersion {
  return entryPointVersionOf(entryPoint) ?? '0.8';
}

/** A fork stands still while the price feed of the real chain ages: the paymaster would refuse it within hours. */
async function keepPriceFresh({ fork, chain, client }: Provisioning): Promise<void> {
  const address = await client.readContract({
    address: chain.contracts.paymaster,
    abi: usdcPaymasterAbi,
    functionName: 'feed',
  });
  if ((await client.getCode({ address })) === localPriceFeedDeployedBytecode) return;
  const feed = { address, abi: localPriceFeedAbi } as const;
  const [, answer] = await client.readContract({ ...feed, functionName: 'latestRoundData' });
  await fork.setCode(address, localPriceFeedDeployedBytecode);
  // Its first slot counts rounds; something else stands there now.
  await fork.setStorageAt(address, numberToHex(0, { size: 32 }), numberToHex(0, { size: 32 }));
  const data = encodeFunctionData({ abi: feed.abi, functionName: 'setAnswer', args: [answer] });
  await fork.sendAs({ from: forkOperator, to: address, data });
}

async function fillPaymaster(
  { fork, chain, client }: Provisioning,
  fund: (funding: Funding) => Promise<FundedBalances>,
): Promise<void> {
  const { paymaster } = chain.contracts;
  const { deposit, stake } = await client.readContract({
    address: chain.entryPoint,
    abi: entryPointV08Abi,
    functionName: 'getDepositInfo',
    args: [paymaster],
  });
  if (deposit < paymasterDeposit) {
    const data = encodeFunctionData({ abi: entryPointV08Abi, functionName: 'depositTo', args: [paymaster] });
    await fork.sendAs({ from: forkOperator, to: chain.entryPoint, data, value: paymasterDeposit - deposit });
  }
  if (chain.paymaster === 'own' && stake < paymasterStake)
    await addStake({ fork, chain, client }, paymasterStake - stake);
  // An empty balance would make the very first operation dearer than all others.
  if ((await readUsdc(client, chain.usdc.address, paymaster)) === 0n) {
    await fund({ address: paymaster, usdcBaseUnits: paymasterUsdc });
  }
}

/** Staking is left to the owner, unlike depositing. */
async function addStake({ fork, chain, client }: Provisioning, value: bigint): Promise<void> {
  const paymaster = { address: chain.contracts.paymaster, abi: usdcPaymasterAbi } as const;
  const owner = await client.readContract({ ...paymaster, functionName: 'owner' });
  await payGasOf(fork, owner, value + parseEther('1'));
  const data = encodeFunctionData({
    abi: paymaster.abi,
    functionName: 'addStake',
    args: [unstakeDelaySeconds],
  });
  await fork.sendAs({ from: owner, to: paymaster.address, data, value });
}
