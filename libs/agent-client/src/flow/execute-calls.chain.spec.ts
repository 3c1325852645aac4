import { localVaults, realiseLoss, setLocalUsdcBalance } from '@yield-vault/testing/local';
import { minimumOut, parseAmount, shareOfBalance, type CallsRequest } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import {
  createWalletClient,
  custom,
  erc20Abi,
  http,
  numberToHex,
  UserRejectedRequestError,
  type Address,
  type Hex,
  type LocalAccount,
  type Transport,
} from 'viem';
import { base } from 'viem/chains';
import { startContractsChain, type ContractsChain } from '../../test/start-contracts-chain.js';
import { usdc } from '../../test/support/book.js';
import { buildCalls } from '../../test/support/build-calls.js';
import { CallsPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { localAddressBook as addressBook } from '../verify/address-book.js';
import { VerificationError } from '../verify/result.js';
import { executeCalls, type CallsAgent } from './execute-calls.js';
import { createWalletNode } from './wallet-node.js';

const vault = localVaults[8453].find((one) => one.kind === 'steady' && one.asset === 'USDC')!;
const deposit = { operation: 'deposit', vault: vault.address, asset: 'USDC', amount: '100' } as const;
const redeem = { operation: 'redeem', vault: vault.address, asset: 'USDC', percentage: 100 } as const;
let chain: ContractsChain;

beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

const request = (method: string, params: unknown) => chain.rpc.request({ method, params } as never);
const held = (token: Address, owner: Address) =>
  chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

/** A service that builds calls as the API does. */
const client = {
  calls: async ({ operation, from, amount, percentage }: CallsRequest) => {
    const node = createWalletNode(chain.rpcUrl);
    const spent =
      operation === 'deposit'
        ? parseAmount(amount!, 6)
        : shareOfBalance(await node.sharesOf(from, vault.address), percentage!);
    const quote =
      operation === 'deposit'
        ? await node.sharesFor(spent, vault.address)
        : await node.assetsFor(spent, vault.address);
    const minOut = minimumOut(quote, 50);
    const calls = buildCalls({ operation, vault: vault.address, token: usdc, amount: spent, minOut });
    return { ...calls, from };
  },
} as unknown as AgentClient;

async function agentOf(name: string, transport: Transport = http(chain.rpcUrl), account?: LocalAccount) {
  const address = await chain.fund(name);
  await request('anvil_impersonateAccount', [address]);
  await setLocalUsdcBalance(chain.rpc as never, 8453, address, 100_000_000n);
  const wallet = createWalletClient({
    account: account ?? address,
    chain: base,
    transport,
    pollingInterval: 20,
  });
  const agent: CallsAgent = { client, wallet, rpc: chain.rpcUrl, chain: 'base', addressBook };
  return { agent, address };
}

describe('executeCalls', () => {
  it.each([
    ['an EOA over JSON-RPC', undefined],
    ['a local account', testAccount('a local account')],
  ])('default: %s deposits and redeems', async (name, account) => {
    const { agent, address } = await agentOf(name, http(chain.rpcUrl), account);
    const { verified, txHashes } = await executeCalls(agent, deposit);
    expect(txHashes).toHaveLength(2);
    expect(await held(vault.address, address)).toBeGreaterThanOrEqual(verified.minOut);
    expect(await held(usdc, address)).toBe(0n);
    await executeCalls(agent, redeem);
    expect(await held(vault.address, address)).toBe(0n);
    expect(await held(usdc, address)).toBeGreaterThan(99_000_000n);
  });

  it('behavior: a wallet that supports EIP-5792 gets one batch', async () => {
    const sent: unknown[] = [];
    const { agent, address } = await agentOf('batcher', batchingTransport(sent));
    const { verified, txHashes } = await executeCalls(agent, deposit);
    expect(sent).toMatchObject([
      { version: '2.0.0', chainId: '0x2105', from: address, calls: verified.calls },
    ]);
    expect(txHashes).toHaveLength(2);
    expect(await held(vault.address, address)).toBeGreaterThanOrEqual(verified.minOut);
  });

  it('error: VerificationError for other calls of the service, and nothing is sent', async () => {
    const { agent, address } = await agentOf('cheated');
    const forged: AgentClient = {
      ...client,
      calls: () => Promise.resolve({ ...buildCalls(), from: address }),
    };
    await expect(executeCalls({ ...agent, client: forged }, deposit)).rejects.toThrow(VerificationError);
    expect(await chain.rpc.getTransactionCount({ address })).toBe(0);
  });

  it('error: CallsFailedError NOT_SENT when the owner rejects', async () => {
    const transport = failing(() => new UserRejectedRequestError(new Error('no')));
    const { agent } = await agentOf('rejecting', transport);
    await expect(executeCalls(agent, deposit)).rejects.toMatchObject({ code: 'NOT_SENT', txHashes: [] });
  });

  it('error: CallsPendingError when the response of the wallet is lost, and nothing is sent twice', async () => {
    const { agent, address } = await agentOf(
      'lost',
      failing(() => new Error('socket closed'), true),
    );
    const error = await executeCalls(agent, deposit).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallsPendingError);
    expect(await chain.rpc.getTransactionCount({ address })).toBe(1);
  });

  it('error: CallsFailedError REVERTED when the price moves before inclusion, and nothing is deposited', async () => {
    const { agent, address } = await agentOf('moved');
    await executeCalls(agent, deposit);
    const shares = await held(vault.address, address);
    const losing = custom({
      request: async ({ method, params }) => {
        const [call] = (params ?? []) as [{ readonly data?: Hex }?];
        if (method !== 'eth_sendTransaction' || call?.data?.startsWith('0x095ea7b3'))
          return request(method, params);
        await realiseLoss(chain, vault, 0.03);
        // A wallet that estimates would refuse, so it is given the gas.
        return request(method, [{ ...call, gas: numberToHex(1_000_000) }]);
      },
    });
    const { wallet } = (await agentOf('moved', losing)).agent;
    const error = await executeCalls({ ...agent, wallet }, redeem).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'REVERTED', txHashes: [expect.any(String), expect.any(String)] });
    expect(await held(vault.address, address)).toBe(shares);
  });
});

/** A wallet over JSON-RPC that fails at its first transaction, before or after it is sent. */
const failing = (fault: () => Error, isSent = false) =>
  custom({
    request: async ({ method, params }) => {
      if (method === 'eth_sendTransaction') {
        if (isSent) await request(method, params);
        throw fault();
      }
      return request(method, params);
    },
  });

/** A wallet over JSON-RPC that sends batches of calls (EIP-5792). */
const batchingTransport = (sent: unknown[]) => {
  const hashes: Hex[] = [];
  return custom({
    request: async ({ method, params }) => {
      switch (method) {
        case 'wallet_getCapabilities':
          return { '0x2105': { atomic: { status: 'supported' } } };
        case 'wallet_sendCalls': {
          const [batch] = params as [{ from: Address; calls: { to: Address; data: Hex }[] }];
          sent.push(batch);
          for (const { to, data } of batch.calls)
            hashes.push((await request('eth_sendTransaction', [{ from: batch.from, to, data }])) as Hex);
          return { id: '0x12' };
        }
        case 'wallet_getCallsStatus':
          return {
            version: '2.0.0',
            id: '0x12',
            chainId: '0x2105',
            status: 200,
            atomic: true,
            receipts: await Promise.all(hashes.map((hash) => request('eth_getTransactionReceipt', [hash]))),
          };
        default:
          return request(method, params);
      }
    },
  });
};
