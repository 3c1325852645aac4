// A Safe deposits in one transaction, by MultiSendCallOnly; PRIVATE_KEY is its only owner. Others propose the same call.
// npm install viem @yield-vault/agent-client && node calls-safe.mjs
import { accepted, createAgentClient, localAddressBook, verifyCalls } from '@yield-vault/agent-client';
import * as viem from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

const { YIELD_VAULT_URL: baseUrl = 'http://127.0.0.1:3000', BASE_RPC_URL, PRIVATE_KEY, SAFE } = process.env;
const { MULTI_SEND = '0x9641d764fc13c8B624c04430C7356C1C7C8102e2' } = process.env;
const owner = privateKeyToAccount(PRIVATE_KEY);
const transport = viem.http(BASE_RPC_URL);
const wallet = viem.createWalletClient({ account: owner, chain: base, transport }).extend(viem.publicActions);
const client = createAgentClient({ baseUrl });
const abi = viem.parseAbi([
  'function multiSend(bytes transactions)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) returns (bool)',
]);

async function send(calls) {
  const types = ['uint8', 'address', 'uint256', 'uint256', 'bytes'];
  const packed = calls.map(({ to, data }) => viem.encodePacked(types, [0, to, 0n, viem.size(data), data]));
  const data = viem.encodeFunctionData({ abi, functionName: 'multiSend', args: [viem.concat(packed)] });
  // The owner sends the transaction, which counts as its signature.
  const signature = viem.concat([viem.pad(owner.address), viem.zeroHash, '0x01']);
  const { zeroAddress } = viem;
  const args = [MULTI_SEND, 0n, data, 1, 0n, 0n, 0n, zeroAddress, zeroAddress, signature];
  const hash = await wallet.writeContract({ address: SAFE, abi, functionName: 'execTransaction', args });
  return (await wallet.waitForTransactionReceipt({ hash })).status;
}

async function run(request, operation) {
  const response = await client.calls({ chain: 'base', from: SAFE, vaultId, ...request });
  const expected = { wallet: SAFE, chain: 'base', operation };
  const { calls, summary } = accepted(verifyCalls(response, expected, { addressBook: localAddressBook }));
  console.log(summary, await send(calls));
}

const { vaults } = await client.discover({ chain: 'base', asset: 'USDC', limit: 1 });
const { vaultId, vaultAddress: vault } = vaults[0];
const read = (functionName, value) =>
  wallet.readContract({ address: vault, abi: viem.erc4626Abi, functionName, args: [value] });
const least = async (preview, value) => ((await read(preview, value)) * 99n) / 100n;

const amount = viem.parseUnits('25', 6);
const minShares = await least('previewDeposit', amount);
await run({ operation: 'deposit', amount: '25' }, { kind: 'deposit', vault, amount, minShares });

const shares = await read('balanceOf', SAFE);
const minAssets = await least('previewRedeem', shares);
await run({ operation: 'redeem', shares: `${shares}` }, { kind: 'redeem', vault, shares, minAssets });
