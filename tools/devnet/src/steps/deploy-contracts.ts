import {
  deploySuite,
  suiteAddresses,
  type SuiteAddresses,
  type SuiteEntryPointVersion,
} from '@yield-vault/contracts';
import {
  deployLocalServicePaymaster,
  placeLocalCirclePaymaster,
  provisionLocalChain,
  type LocalChainId,
} from '@yield-vault/contracts/local';
import { createWalletClient, http, parseEther, type Address } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { fundWallet } from '../fund-wallet.js';
import type { DevnetGas, DevnetPaymaster } from '../types.js';
import { bundlerAccounts } from './bundler-accounts.js';
import type { ChainClient } from './chain-client.js';
import { placeBundlerContracts } from './place-bundler-contracts.js';

const paymasterDeposit = parseEther('1000');
const paymasterStake = parseEther('10');

/**
 * Put tokens, vaults, price feeds, entry point, suite and the bundler's contracts onto a fresh chain, and fund the
 * bundler's accounts.
 *
 * @returns The suite that wallets use.
 */
export async function deployContracts(
  client: ChainClient,
  rpcUrl: string,
  chainId: LocalChainId,
  { entryPointVersion = '0.8', paymaster = 'own' }: DevnetGas = {},
): Promise<SuiteAddresses> {
  await provisionLocalChain(client, chainId);
  const owner = mnemonicToAccount('test test test test test test test test test test test junk');
  const wallet = createWalletClient({ account: owner, transport: http(rpcUrl) });
  await deploySuite(wallet, client, {
    entryPointVersion,
    paymasterDepositWei: paymasterDeposit,
    paymasterStakeWei: paymasterStake,
  });
  const others =
    paymaster === 'own' ? undefined : await placePaymaster(client, chainId, paymaster, entryPointVersion);
  const suite = { entryPointVersion, ...(others && { paymaster: others }) };
  if (others) await deploySuite(wallet, client, suite);
  const contracts = suiteAddresses(suite);
  // A paymaster that works holds USDC; an empty balance would make the very first operation dearer than all others.
  await fundWallet({ rpcUrl, chainId }, contracts.paymaster, { usdc: 1_000_000n });
  await placeBundlerContracts(client);
  for (const address of bundlerAccounts) {
    await client.setBalance({ address, value: parseEther('10000') });
  }
  return contracts;
}

/** Place the paymaster of others at the entry point, which has to be there. */
function placePaymaster(
  client: ChainClient,
  chainId: LocalChainId,
  paymaster: Exclude<DevnetPaymaster, 'own'>,
  version: SuiteEntryPointVersion,
): Promise<Address> {
  return paymaster === 'circle'
    ? placeLocalCirclePaymaster(client, chainId, version)
    : deployLocalServicePaymaster(client, paymaster.service, version);
}
