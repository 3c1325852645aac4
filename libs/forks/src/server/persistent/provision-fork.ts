import {
  inspectContracts,
  deployContracts,
  usdcPaymasterAbi,
  entryPointV08Abi,
  paymasterTermsSlot,
  withoutPriceExpiry,
  type ContractName,
} from '@yield-vault/contracts';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { encodeFunctionData, parseEther, type PublicClient } from 'viem';
import type { Balances, ForkChain, Funding } from '../../types.js';
import type { AnvilFork } from '../fork/create-anvil-fork.js';
import { forkAccount, payGasOf, readUsdc } from '../fork/create-funder.js';
import { createViemClient, createViemWallet } from '../fork/viem-clients.js';

/** Sends the transactions that provision a fork. */
const forkOperator = forkAccount('operator');
const operatorBalance = parseEther('1000');
const bundlerBalance = parseEther('1000');
const paymasterDeposit = parseEther('100');
const paymasterStake = parseEther('10');
const unstakeDelaySeconds = 86_400;
const paymasterUsdc = 1_000_000n;

interface Provisioning {
  readonly fork: AnvilFork;
  readonly chain: ForkChain;
  readonly client: PublicClient;
}

/**
 * Provision a fork with everything that wallets and bundlers need and the chain lacks: our contracts, a
 * price that never expires, the paymaster's deposit, stake and USDC, and ETH for the bundler. Another operator's paymaster
 * receives a deposit and USDC only.
 *
 * @throws {ForkNotRunningError} the contracts differ from this release, or are missing and cannot be deployed
 */
export async function provisionFork(
  fork: AnvilFork,
  chain: ForkChain,
  fund: (funding: Funding) => Promise<Balances>,
): Promise<void> {
  const on = { fork, chain, client: createViemClient(fork) };
  await payGasOf(fork, forkOperator, operatorBalance);
  await placeContracts(on);
  if (chain.paymaster === 'own') await keepPrice(on);
  await fillPaymaster(on, fund);
  for (const address of chain.bundlerAccounts) await payGasOf(fork, address, bundlerBalance);
}

async function placeContracts({ fork, chain, client }: Provisioning): Promise<void> {
  const faults = async () => {
    const found = await inspectContracts(client, chain.contracts, { paymaster: chain.paymaster });
    return found.filter(({ status }) => status !== 'ok');
  };
  let found = await faults();
  const missing = found.filter(({ status }) => status === 'missing');
  const { paymasterRoles: paymaster } = chain.contracts;
  // Without its roles nobody can deploy our paymaster to its address.
  if (missing.length > 0 && (paymaster || !missing.some(({ contract }) => contract === 'paymaster'))) {
    const wallet = createViemWallet(fork, chain.chainId, forkOperator);
    await deployContracts(wallet, client, { paymaster, paymasterStakeWei: paymasterStake });
    found = await faults();
  }
  if (found.length === 0) return;
  const list = found.map(({ contract, status }): [ContractName, string] => [contract, status]);
  throw new ForkNotRunningError({
    detail: `The contracts on the fork of ${chain.key} differ from this release: ${list
      .map(([contract, status]) => `${contract} ${status}`)
      .join(', ')}.`,
    details: { chain: chain.key, contracts: Object.fromEntries(list) },
    retryable: false,
    nextAction: 'Ask the operator to check the contract addresses of the deployment.',
  });
}

/** Keep the paymaster's price: nobody refreshes it while the fork is idle. */
async function keepPrice({ fork, chain, client }: Provisioning): Promise<void> {
  const { paymaster } = chain.contracts;
  const [, validUntil] = await client.readContract({
    address: paymaster,
    abi: usdcPaymasterAbi,
    functionName: 'terms',
  });
  const { timestamp } = await client.getBlock();
  if (BigInt(validUntil) <= timestamp) {
    const data = encodeFunctionData({ abi: usdcPaymasterAbi, functionName: 'updatePrice' });
    const { status } = await fork.sendAs({ from: forkOperator, to: paymaster, data });
    if (status !== 'success') {
      throw new ForkNotRunningError({
        detail: `The price feeds of ${chain.key} have no usable price for the paymaster.`,
        details: { chain: chain.key },
        nextAction: 'Try again after the next update of the feeds.',
      });
    }
  }
  const terms = await client.getStorageAt({ address: paymaster, slot: paymasterTermsSlot });
  const value = withoutPriceExpiry(terms ?? '0x0');
  await fork.request('anvil_setStorageAt', [paymaster, paymasterTermsSlot, value]);
}

async function fillPaymaster(
  { fork, chain, client }: Provisioning,
  fund: (funding: Funding) => Promise<Balances>,
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
  if (chain.paymaster === 'own' && stake < paymasterStake) {
    await addStake({ fork, chain, client }, paymasterStake - stake);
  }
  // The first transfer to an empty balance costs more gas than later ones.
  if ((await readUsdc(client, chain.usdc.address, paymaster)) === 0n) {
    await fund({ address: paymaster, usdcBaseUnits: paymasterUsdc });
  }
}

/** Only the owner may stake; anyone may deposit. */
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
