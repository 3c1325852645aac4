import { createAgentClient, localAddressBook } from '@yield-vault/agent-client';
import { toYieldVaultSmartAccount, usdcPaymaster, yieldVaultActions } from '@yield-vault/agent-client/viem';
import { fundWallet } from '@yield-vault/devnet';
import { createChainClient, request } from '@yield-vault/testing/local';
import { createSmartAccountClient } from 'permissionless';
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  erc4626Abi,
  http,
  type Address,
  type LocalAccount,
} from 'viem';
import { createBundlerClient } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { signAuthorization } from 'viem/actions';
import { base } from 'viem/chains';
import { devnetChains, sharedServer } from '../test/support/devnet.js';

const amount = 25_000_000n;

describe('viem', () => {
  const addressBook = localAddressBook;
  const service = createAgentClient({ baseUrl: sharedServer('default') });
  const { rpcUrl, bundlerUrl, chainId } = devnetChains().base;
  const client = createPublicClient({
    chain: base,
    transport: http(rpcUrl),
    cacheTime: 0,
    pollingInterval: 50,
  });
  let vault: Address;
  let usdc: Address;
  const heldOf = (address: Address, token: Address) =>
    client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  const depositCalls = (receiver: Address) => [
    { to: usdc, abi: erc20Abi, functionName: 'approve', args: [vault, amount] } as const,
    { to: vault, abi: erc4626Abi, functionName: 'deposit', args: [amount, receiver] } as const,
  ];
  const redeemCall = async (wallet: Address) =>
    ({
      to: vault,
      abi: erc4626Abi,
      functionName: 'redeem',
      args: [await heldOf(wallet, vault), wallet, wallet],
    }) as const;

  beforeAll(async () => {
    const { vaults } = await service.discover({ chain: 'base', asset: 'USDC', riskTolerance: 'low' });
    vault = vaults[0]!.vaultAddress;
    usdc = await client.readContract({ address: vault, abi: erc4626Abi, functionName: 'asset' });
  });

  it.each([
    ['in ether', 10n ** 16n, undefined],
    ['in USDC', 0n, usdcPaymaster({ addressBook })],
  ])(
    'default: a smart account of a new wallet, with the bundler client of viem, its gas %s',
    async (_, ethWei, paymaster) => {
      const signer = privateKeyToAccount(generatePrivateKey());
      const wallet = signer.address;
      await fundWallet({ rpcUrl, chainId }, wallet, { ethWei, usdc: 50_000_000n });
      const smart = await toYieldVaultSmartAccount({
        client,
        owner: { address: wallet, sign: signer.sign },
        addressBook,
      });
      const bundler = createBundlerClient({
        ...{ account: smart, client, paymaster, pollingInterval: 50 },
        transport: http(bundlerUrl),
      });
      const run = async (parameters: object) => {
        const hash = await bundler.sendUserOperation(parameters as never);
        return bundler.waitForUserOperationReceipt({ hash });
      };
      const authorization = await signAuthorization(client, smart.authorization);
      expect(await run({ calls: depositCalls(wallet), authorization })).toMatchObject({ success: true });
      expect(await heldOf(wallet, vault)).toBeGreaterThan(0n);
      expect(await run({ calls: [await redeemCall(wallet)] })).toMatchObject({ success: true });
      expect(await heldOf(wallet, vault)).toBe(0n);
    },
  );

  it('default: a smart account, with the client of permissionless', async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const wallet = signer.address;
    await fundWallet({ rpcUrl, chainId }, wallet, { ethWei: 10n ** 16n, usdc: 50_000_000n });
    const smart = await toYieldVaultSmartAccount({ client, owner: signer, addressBook });
    const sender = createSmartAccountClient({
      ...{ account: smart, client, chain: base, pollingInterval: 50 },
      bundlerTransport: http(bundlerUrl),
    });
    const authorization = await signAuthorization(client, smart.authorization);
    await sender.sendTransaction({ calls: depositCalls(wallet), authorization });
    expect(await heldOf(wallet, vault)).toBeGreaterThan(0n);
    await sender.sendTransaction({ calls: [await redeemCall(wallet)] });
    expect(await heldOf(wallet, vault)).toBe(0n);
  });

  it('behavior: a wallet client of a JSON-RPC account deposits and redeems by plain calls', async () => {
    const { address } = privateKeyToAccount(generatePrivateKey());
    await fundWallet({ rpcUrl, chainId }, address, { ethWei: 10n ** 16n, usdc: 50_000_000n });
    await request(createChainClient(rpcUrl), 'anvil_impersonateAccount', [address]);
    const wallet = createWalletClient({
      ...{ account: address, chain: base, pollingInterval: 50 },
      transport: http(rpcUrl),
    }).extend(yieldVaultActions({ client: service, addressBook }));
    const place = { vault, asset: 'USDC' };
    const { txHashes } = await wallet.deposit({ ...place, amount: '25' });
    expect(txHashes.length).toBeGreaterThan(0);
    expect(await heldOf(address, vault)).toBeGreaterThan(0n);
    await wallet.redeem({ ...place, percentage: 100 });
    expect(await heldOf(address, vault)).toBe(0n);
    const target = place.vault;
    await expect(wallet.rebalance({ ...place, target })).rejects.toMatchObject({
      code: 'UNSUPPORTED_SIGNER',
    });
  });

  it('behavior: a wallet client of an account that signs hashes alone deposits and redeems', async () => {
    const { address, sign } = privateKeyToAccount(generatePrivateKey());
    await fundWallet({ rpcUrl, chainId }, address, { ethWei: 10n ** 16n, usdc: 50_000_000n });
    const account = { address, sign, type: 'local' } as LocalAccount;
    const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl) }).extend(
      yieldVaultActions({ client: service, addressBook }),
    );
    const { vaults } = await wallet.discover({ asset: 'USDC' });
    const place = { vault: vaults[0]!.vaultAddress, asset: 'USDC' };
    await wallet.deposit({ ...place, amount: '25' });
    expect((await wallet.status()).positions).toMatchObject([{ depositedAmount: '25' }]);
    await wallet.redeem({ ...place, percentage: 100 });
    expect(await heldOf(address, place.vault)).toBe(0n);
  });
});
