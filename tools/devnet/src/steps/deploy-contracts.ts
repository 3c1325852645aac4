import { deploySuite, suite } from '@yield-vault/contracts';
import { provisionLocalChain, type LocalChainId } from '@yield-vault/contracts/local';
import { createWalletClient, http, parseEther } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { fundWallet } from '../fund-wallet.js';
import { bundlerAccounts } from './bundler-accounts.js';
import type { ChainClient } from './chain-client.js';
import { placeBundlerContracts } from './place-bundler-contracts.js';

const paymasterDeposit = parseEther('1000');
const paymasterStake = parseEther('10');

/**
 * Put tokens, vaults, price feeds, entry point, suite and the bundler's contracts onto a fresh chain, and fund the
 * bundler's accounts.
 */
export async function deployContracts(
  client: ChainClient,
  rpcUrl: string,
  chainId: LocalChainId,
): Promise<void> {
  await provisionLocalChain(client, chainId);
  const owner = mnemonicToAccount('test test test test test test test test test test test junk');
  const wallet = createWalletClient({ account: owner, transport: http(rpcUrl) });
  await deploySuite(wallet, client, {
    paymasterDepositWei: paymasterDeposit,
    paymasterStakeWei: paymasterStake,
  });
  // A paymaster that works holds USDC; an empty balance would make the very first operation dearer than all others.
  await fundWallet({ rpcUrl, chainId }, suite.paymaster, { usdc: 1_000_000n });
  await placeBundlerContracts(client);
  for (const address of bundlerAccounts) {
    await client.setBalance({ address, value: parseEther('10000') });
  }
}
