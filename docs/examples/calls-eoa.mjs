// A plain EOA deposits and redeems: no delegation, gas in ether. docs/calls.md explains it.
// npm install viem @yield-vault/agent-client && node calls-eoa.mjs
import { createAgentClient, executeCalls, localAddressBook } from '@yield-vault/agent-client';
import { createWalletClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

const { YIELD_VAULT_URL: baseUrl = 'http://127.0.0.1:3000', BASE_RPC_URL: rpcUrl } = process.env;
const account = privateKeyToAccount(process.env.PRIVATE_KEY ?? generatePrivateKey());
const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl) });
const client = createAgentClient({ baseUrl });
// Elsewhere, leave out the address book: the shipped one is for real chains.
const agent = { client, wallet, rpcUrl, chain: 'base', addressBook: localAddressBook };

const { vaults } = await client.discover({ chain: 'base', asset: 'USDC', limit: 1 });
const position = { vault: vaults[0].vaultAddress, asset: 'USDC' };
const deposit = await executeCalls(agent, { operation: 'deposit', ...position, amount: '25' });
console.log(deposit.verified.summary, deposit.txHashes);
const redeem = await executeCalls(agent, { operation: 'redeem', ...position, percentage: 100 });
console.log(redeem.verified.summary, redeem.txHashes);
