import type { ActiveChain } from '@yield-vault/chains';
import { walletContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { fundWallet, type DevnetChain } from '@yield-vault/devnet';
import { testAccount } from '@yield-vault/testing';
import { createWalletClient, encodeFunctionData, http, parseEther, zeroAddress } from 'viem';
import { allowanceUsdc, buildSetup, chainId } from '../test/support/build-setup.js';
import { startChain } from '../test/support/start-chain.js';
import { createDatabaseSetupStore } from './adapters/database-setup-store.js';
import { createSetupRelay } from './setup-relay.js';

let chain: ActiveChain;
let started: DevnetChain;
let stop: () => Promise<void>;
let memory: DatabaseHandle;
beforeAll(async () => {
  ({ chain, started, stop } = await startChain());
  memory = await openTestDatabase();
});
afterAll(async () => {
  await memory.close();
  await stop();
});

it('attack: a bare delegation of a wallet that removed a default module is refused before it costs ether', async () => {
  const account = testAccount('returning');
  await fundWallet(started, account.address, { ethWei: parseEther('0.1') });
  const wallet = createWalletClient({ account, transport: http(started.rpcUrl) });
  const send = async (contractAddress: `0x${string}`, data?: `0x${string}`) => {
    const authorization = await wallet.signAuthorization({ contractAddress, chainId, executor: 'self' });
    const hash = await wallet.sendTransaction({
      chain: null,
      to: account.address,
      data,
      authorizationList: [authorization],
      gas: 300_000n,
    });
    await chain.rpc.waitForTransactionReceipt({ hash });
  };
  const args = [1n, walletContracts.validator, '0x'] as const;
  await send(
    walletContracts.account,
    encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'uninstallModule', args }),
  );
  await send(zeroAddress);
  const nonce = await chain.rpc.getTransactionCount({ address: account.address });
  const relay = createSetupRelay({
    chains: { keys: ['base'], findById: (id) => (id === chainId ? chain : undefined) },
    store: createDatabaseSetupStore(memory),
    options: {
      ticketLifetimeSeconds: 900,
      waitSeconds: 20,
      paymasterAllowanceUsdc: allowanceUsdc,
      pollMs: 50,
    },
  });
  const before = await chain.rpc.getBalance({ address: account.address });
  const error: unknown = await relay
    .relay(await buildSetup({ wallet: account, transaction: { nonce } }))
    .catch((e: unknown) => e);
  const spent = before - (await chain.rpc.getBalance({ address: account.address }));
  expect(error).toMatchObject({ code: 'SETUP_TRANSACTION_REJECTED' });
  expect({ spent, detail: (error as { detail: string }).detail }).toMatchObject({ spent: 0n });
});
