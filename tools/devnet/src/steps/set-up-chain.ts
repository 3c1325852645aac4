import {
  type ContractAddresses,
  deployContracts,
  localContracts,
  paymasterTermsSlot,
  updatePaymasterPrice,
  withoutPriceExpiry,
} from '@yield-vault/contracts';
import {
  deployLocalServicePaymaster,
  placeLocalCirclePaymaster,
  provisionLocalChain,
  type LocalChainId,
  type ChainClient,
} from '@yield-vault/testing/local';
import { createWalletClient, http, parseEther, type Address } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { fundWallet } from '../fund-wallet.js';
import type { DevnetGas, DevnetPaymaster } from '../types.js';
import { bundlerAccounts } from './bundler-accounts.js';
import { placeBundlerContracts } from './place-bundler-contracts.js';

const paymasterDeposit = parseEther('1000');
const paymasterStake = parseEther('10');

/**
 * Put tokens, vaults, price feeds, entry point, our contracts and the bundler's onto a fresh chain, and fund the
 * bundler's accounts.
 *
 * @returns The contracts that wallets use.
 */
export async function setUpChain(
  client: ChainClient,
  rpcUrl: string,
  chainId: LocalChainId,
  { paymaster = 'own' }: DevnetGas = {},
): Promise<ContractAddresses> {
  await provisionLocalChain(client, chainId);
  const owner = mnemonicToAccount('test test test test test test test test test test test junk');
  const wallet = createWalletClient({ account: owner, transport: http(rpcUrl) });
  await deployContracts(wallet, client, {
    paymaster: { owner: owner.address },
    paymasterDepositWei: paymasterDeposit,
    paymasterStakeWei: paymasterStake,
  });
  const own = localContracts(chainId);
  await keepPrice(wallet, client, own.paymaster);
  const contracts =
    paymaster === 'own' ? own : { ...own, paymaster: await placePaymaster(client, chainId, paymaster) };
  // With an empty USDC balance of the paymaster, the first operation would cost more gas than all others.
  await fundWallet({ rpcUrl, chainId }, contracts.paymaster, { usdc: 1_000_000n });
  await placeBundlerContracts(client);
  for (const address of bundlerAccounts) {
    await client.setBalance({ address, value: parseEther('10000') });
  }
  return contracts;
}

/** Store a price that never expires: nobody refreshes it while the chain is idle. */
async function keepPrice(
  wallet: Parameters<typeof updatePaymasterPrice>[0],
  client: ChainClient,
  address: Address,
) {
  await updatePaymasterPrice(wallet, client, address);
  const terms = await client.getStorageAt({ address, slot: paymasterTermsSlot });
  await client.setStorageAt({
    address,
    index: paymasterTermsSlot,
    value: withoutPriceExpiry(terms ?? '0x0'),
  });
}

/** Place the paymaster of others at the entry point, which has to be there. */
function placePaymaster(
  client: ChainClient,
  chainId: LocalChainId,
  paymaster: Exclude<DevnetPaymaster, 'own'>,
): Promise<Address> {
  return paymaster === 'circle'
    ? placeLocalCirclePaymaster(client, chainId)
    : deployLocalServicePaymaster(client, chainId, paymaster.service);
}
