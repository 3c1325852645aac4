// A wallet deposits by wallet_sendCalls (EIP-5792). Where the wallet lacks it, viem sends one transaction after the other.
// npm install viem @yield-vault/agent-client && node calls-5792.mjs
import { accepted, createAgentClient, localAddressBook, verifyCalls } from '@yield-vault/agent-client';
import { createWalletClient, erc4626Abi, http, parseUnits, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

const { YIELD_VAULT_URL: baseUrl = 'http://127.0.0.1:3000', BASE_RPC_URL, PRIVATE_KEY } = process.env;
const account = privateKeyToAccount(PRIVATE_KEY);
// In a browser: custom(window.ethereum), and the address of the account.
const wallet = createWalletClient({ account, chain: base, transport: http(BASE_RPC_URL) }).extend(
  publicActions,
);
const client = createAgentClient({ baseUrl });

const { vaults } = await client.discover({ chain: 'base', asset: 'USDC', limit: 1 });
const { vaultId, vaultAddress: vault } = vaults[0];
const amount = parseUnits('25', 6);
const quote = { address: vault, abi: erc4626Abi, functionName: 'previewDeposit', args: [amount] };
const minShares = ((await wallet.readContract(quote)) * 99n) / 100n;

const from = account.address;
const response = await client.calls({ operation: 'deposit', chain: 'base', from, vaultId, amount: '25' });
const operation = { kind: 'deposit', vault, amount, minShares };
const expected = { wallet: from, chain: 'base', operation };
const { calls, summary } = accepted(verifyCalls(response, expected, { addressBook: localAddressBook }));
const { id } = await wallet.sendCalls({ calls, experimental_fallback: true });
const { status, receipts } = await wallet.waitForCallsStatus({ id });
console.log(summary, status, receipts.length);
