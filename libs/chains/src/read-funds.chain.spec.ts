import {
  deployContracts,
  localContracts,
  localPaymasterOwner,
  paymasterTermsSlot,
  withoutPriceExpiry,
} from '@yield-vault/contracts';
import { anvilKey, startAnvil, type Anvil } from '@yield-vault/testing';
import { placeLocalContracts } from '@yield-vault/testing/local';
import { createWalletClient, encodeAbiParameters, http, keccak256, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains } from './active-chains.js';
import { readFunds } from './read-funds.js';

jest.setTimeout(60_000);

describe('readFunds', () => {
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
  });
  afterAll(() => anvil.stop());

  it('default: deposit, stake, income and price of our paymaster, and the balance of the account that pays gas', async () => {
    const chain = createActiveChains({
      chains: { base: buildChainConfig({ rpcUrls: [anvil.rpcUrl] }) },
    }).require('base');
    await placeLocalContracts(chain.rpc, 8453);
    const wallet = createWalletClient({
      account: privateKeyToAccount(anvilKey(0)),
      transport: http(anvil.rpcUrl),
    });
    const paymaster = { owner: localPaymasterOwner };
    await deployContracts(wallet, chain.rpc, { paymaster, paymasterDepositWei: 7n, paymasterStakeWei: 5n });
    const set = (address: string, slot: string, value: bigint) =>
      chain.rpc.request({
        method: 'anvil_setStorageAt',
        params: [address, slot, numberToHex(value, { size: 32 })],
      } as never);
    const mapping = [{ type: 'address' }, { type: 'uint256' }] as const;
    await set(
      chain.usdc,
      keccak256(encodeAbiParameters(mapping, [localContracts(8453).paymaster, 9n])),
      3_000_000n,
    );
    await set(
      localContracts(8453).paymaster,
      paymasterTermsSlot,
      BigInt(withoutPriceExpiry(numberToHex(2_500_000_000n))),
    );
    expect(await readFunds(chain, { gasAccount: localContracts(8453).paymaster })).toEqual({
      paymasterDeposit: 7n,
      paymasterStake: 5n,
      paymasterUsdc: 3_000_000n,
      usdcPerEther: 2_500_000_000n,
      paymasterPriceValidUntil: 2 ** 47 - 1,
      paymasterPriceRefreshAt: 2 ** 47 - 1,
      gasAccount: 0n,
      operationCeiling: 0n,
    });
  });
});
