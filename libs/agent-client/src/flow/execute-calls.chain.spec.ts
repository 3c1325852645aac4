import { localVaults, realiseLoss, setLocalUsdcBalance } from '@yield-vault/testing/local';
import { minimumOut, parseAmount, shareOfBalance, type CallsRequest } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import {
  createWalletClient,
  custom,
  erc20Abi,
  http,
  numberToHex,
  zeroHash,
  type Address,
  type Hex,
  type LocalAccount,
  type Transport,
} from 'viem';
import { base } from 'viem/chains';
import { startContractsChain, type ContractsChain } from '../../test/start-contracts-chain.js';
import { usdc } from '../../test/support/book.js';
import { buildCalls } from '../../test/support/build-calls.js';
import { CallsFailedError, CallsPendingError } from '../errors.js';
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
    const { agent, address } = await agentOf('batcher', faulty({}, batching(sent)));
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

  it.each<[string, Faults, Faults?]>([
    ['a call', { eth_sendTransaction: refuse(4001) }, {}],
    ['a batch', { wallet_sendCalls: refuse(4001) }, batching()],
  ])('error: CallsFailedError NOT_SENT when the owner rejects %s', async (_, faults, methods) => {
    const { agent, address } = await agentOf('rejecting', faulty(faults, methods));
    await expect(executeCalls(agent, deposit)).rejects.toMatchObject({ code: 'NOT_SENT', txHashes: [] });
    expect(await chain.rpc.getTransactionCount({ address })).toBe(0);
  });

  // After CallsFailedError, executeCalls may be called again.
  it.each<[string, number, Faults, Faults?, LocalAccount?]>(
    [4001, -32000, -32602].flatMap((code) => [
      ['the status of a batch', code, { wallet_getCallsStatus: refuse(code) }, batching()],
      ['a receipt', code, { eth_getTransactionReceipt: at(2, refuse(code)) }],
      ['a signed call', code, { eth_sendRawTransaction: lose(code, 2) }, {}, testAccount(`signed ${code}`)],
      ...(code === 4001
        ? []
        : ([
            ['a batch', code, { wallet_sendCalls: lose(code) }, batching()],
            ['the approval', code, { eth_sendTransaction: lose(code) }, sendingTwice()],
            ['the router call', code, { eth_sendTransaction: lose(code, 2) }, sendingTwice()],
          ] as [string, number, Faults, Faults?][])),
    ]),
  )('property: the response to %s is lost (%d), and no repetition deposits twice', async (...args) => {
    const [what, code, faults, methods, account] = args;
    const { agent, address } = await agentOf(
      account ? `signed ${code}` : `${what} ${code}`,
      faulty(faults, methods),
      account,
    );
    await setLocalUsdcBalance(chain.rpc as never, 8453, address, 200_000_000n);
    const attempt = () => executeCalls(agent, deposit).catch((error: unknown) => error);
    if ((await attempt()) instanceof CallsFailedError) await attempt();
    expect(await held(usdc, address)).toBeGreaterThanOrEqual(100_000_000n);
  });

  it('error: CallsPendingError names the open call, by its hash if it is signed here', async () => {
    const error = async (faults: Faults, methods?: Faults, account?: LocalAccount) => {
      const { agent } = await agentOf(`pending ${account?.address}`, faulty(faults, methods), account);
      return executeCalls(agent, deposit).catch((thrown: unknown) => thrown);
    };
    expect(await error({ eth_sendTransaction: lose(-32000, 2) })).toMatchObject({
      name: 'CallsPendingError',
      pendingCall: 1,
      txHashes: [expect.any(String)],
    });
    const account = testAccount('pending signer');
    await chain.fund('pending signer');
    await setLocalUsdcBalance(chain.rpc as never, 8453, account.address, 100_000_000n);
    const signed = await error({ eth_sendRawTransaction: lose(4001, 2) }, {}, account);
    expect(signed).toMatchObject({ name: 'CallsPendingError', pendingCall: 1 });
    const [, hash] = (signed as CallsPendingError).txHashes;
    expect(await chain.rpc.getTransactionReceipt({ hash: hash! })).toMatchObject({ status: 'success' });
    const sent: { id?: string }[] = [];
    const batch = await error({ wallet_sendCalls: lose(-32000) }, batching(sent));
    expect(batch).toMatchObject({ name: 'CallsPendingError', batchId: sent[0]!.id });
    expect(sent[0]!.id).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('error: CallsPendingError when a batch succeeds with a reverted transaction', async () => {
    const status = { version: '2.0.0', id: '0x12', chainId: '0x2105', status: 200, atomic: true };
    const receipt = { logs: [], status: '0x0', blockHash: zeroHash, blockNumber: '0x1', gasUsed: '0x1' };
    const receipts = [{ ...receipt, transactionHash: zeroHash }];
    const faults = {
      wallet_sendCalls: () => Promise.resolve({ id: '0x12' }),
      wallet_getCallsStatus: () => Promise.resolve({ ...status, receipts }),
    };
    const { agent } = await agentOf('reverted batch', faulty(faults, batching()));
    await expect(executeCalls(agent, deposit)).rejects.toThrow(CallsPendingError);
  });

  it('error: CallsPendingError when the wallet replaces the router call, which may be the same deposit', async () => {
    const restarts: (() => Promise<void>)[] = [];
    const fees = { maxFeePerGas: numberToHex(10n ** 10n), maxPriorityFeePerGas: numberToHex(10n ** 9n) };
    const speedUp = at(2, async (_, params) => {
      const [call] = params as [{ readonly from: Address; readonly data: Hex }];
      restarts.push(await chain.stopMining());
      const nonce = await request('eth_getTransactionCount', [call.from, 'latest']);
      const first = { ...call, ...fees, gas: numberToHex(1_000_000), nonce };
      const hash = await request('eth_sendTransaction', [first]);
      const faster = {
        maxFeePerGas: numberToHex(2n * 10n ** 10n),
        maxPriorityFeePerGas: numberToHex(2n * 10n ** 9n),
      };
      setTimeout(() => {
        void request('eth_sendTransaction', [{ ...first, ...faster, data: `${call.data}deadbeef` }])
          .then(() => request('evm_mine', []))
          .then(restarts[0])
          .then(() => request('evm_mine', []));
      }, 500);
      return hash;
    });
    const { agent, address } = await agentOf('faster', faulty({ eth_sendTransaction: speedUp }));
    await expect(executeCalls(agent, deposit)).rejects.toThrow(CallsPendingError);
    expect(await held(usdc, address)).toBe(0n);
  });

  it.each([-32601, 4200, 5700, 5710, 5740, 5750, 5760])(
    'behavior: a wallet that refuses batches with %d gets one call after the other',
    async (code) => {
      const { agent, address } = await agentOf(
        `no ${code}`,
        faulty({ wallet_sendCalls: refuse(code) }, batching()),
      );
      expect((await executeCalls(agent, deposit)).txHashes).toHaveLength(2);
      expect(await held(usdc, address)).toBe(0n);
    },
  );

  it('behavior: a node that is a block behind the approval is given time', async () => {
    const { agent, address } = await agentOf('behind', faulty({ eth_estimateGas: at(2, refuse(3)) }));
    await executeCalls(agent, deposit);
    expect(await held(usdc, address)).toBe(0n);
  });

  it('error: CallsFailedError NOT_SENT when the wallet is on another chain', async () => {
    const faults = { eth_chainId: () => Promise.resolve('0x1') };
    const { agent, address } = await agentOf('elsewhere', faulty(faults));
    await expect(executeCalls(agent, deposit)).rejects.toMatchObject({ code: 'NOT_SENT' });
    expect(await chain.rpc.getTransactionCount({ address })).toBe(0);
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

/** A method that some clients call when `eth_sendTransaction` fails. */
function sendingTwice(): Faults {
  return {
    wallet_sendTransaction: (_, params) => {
      const [call] = params as [object];
      return request('eth_sendTransaction', [{ ...call, gas: numberToHex(1_000_000) }]) as Promise<unknown>;
    },
  };
}

type Answer = (send: () => Promise<unknown>, params: unknown) => Promise<unknown>;
type Faults = Readonly<Record<string, Answer>>;

/** A wallet over JSON-RPC with methods of its own, and faults before or after them. */
function faulty(faults: Faults, methods: Faults = {}) {
  return custom({
    request: ({ method, params }) => {
      const pass = () => request(method, params) as Promise<unknown>;
      const send = () => methods[method]?.(pass, params) ?? pass();
      return faults[method]?.(send, params) ?? send();
    },
  });
}

function refuse(code: number): Answer {
  return () => Promise.reject(Object.assign(new Error(`Code ${code}`), { code }));
}

/** Answer only one request so, counted from 1. */
function at(number: number, answer: Answer): Answer {
  let count = 0;
  return (send, params) => (++count === number ? answer(send, params) : send());
}

/** Send, and refuse all the same. */
function lose(code: number, number = 1): Answer {
  return at(number, async (send, params) => {
    await send();
    return refuse(code)(send, params);
  });
}

/** Batches of calls (EIP-5792). */
function batching(sent: unknown[] = []): Faults {
  const hashes: Hex[] = [];
  return {
    wallet_getCapabilities: () => Promise.resolve({ '0x2105': { atomic: { status: 'supported' } } }),
    wallet_sendCalls: async (_, params) => {
      const [batch] = params as [{ id: string; from: Address; calls: { to: Address; data: Hex }[] }];
      sent.push(batch);
      for (const { to, data } of batch.calls)
        hashes.push((await request('eth_sendTransaction', [{ from: batch.from, to, data }])) as Hex);
      return { id: batch.id };
    },
    wallet_getCallsStatus: async () => ({
      version: '2.0.0',
      id: '0x12',
      chainId: '0x2105',
      status: 200,
      atomic: true,
      receipts: await Promise.all(hashes.map((hash) => request('eth_getTransactionReceipt', [hash]))),
    }),
  };
}
