import { localAddresses, localVaults } from '@yield-vault/testing/local';
import { childProcesses, descendantProcesses, untilEnded } from '@yield-vault/testing';
import { createPublicClient, erc20Abi, http, type Address, type Hex, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  bundlerAccounts,
  depositThroughBundler,
  setUpWallet,
  startDevnet,
  type Devnet,
  type DevnetChain,
  type ForkServiceProcess,
} from '../src/index.js';

jest.setTimeout(90_000);

describe('startDevnet with managed forks', () => {
  let devnet: Devnet;
  let chain: DevnetChain;
  let onFork: DevnetChain;
  let service: ForkServiceProcess;
  let fork: PublicClient;
  beforeAll(async () => {
    devnet = await startDevnet({ relayMode: 'managed-fork', chains: ['base'], historyDays: 1 });
    chain = devnet.chains[0] as DevnetChain;
    service = devnet.forkService as ForkServiceProcess;
    onFork = { ...chain, rpcUrl: chain.walletRpcUrl };
    fork = createPublicClient({ transport: http(chain.walletRpcUrl), cacheTime: 0 });
  });
  afterAll(async () => {
    const started = descendantProcesses(process.pid).keys();
    await devnet.stop();
    expect(await untilEnded(started)).toEqual([]);
  });

  const { usdc } = localAddresses[8453];
  const vault = (localVaults[8453][0] as { address: Address }).address;
  const wallet = privateKeyToAccount(generatePrivateKey());

  const operate = async <Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.credential}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    // Come back later: while a fork is gone, until the next one is there.
    if (response.status === 503) return operate(method, path, body);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Answer;
  };
  const forkId = async () =>
    (await operate<{ id: string }>('POST', '/v1/forks', { chain: 'base', kind: 'persistent' })).id;
  const fund = (id: string) =>
    operate('POST', `/v1/forks/${id}/fund`, {
      address: wallet.address,
      ethWei: String(10n ** 16n),
      usdcBaseUnits: '50000000',
    });
  const balanceOf = (token: Address, rpc: PublicClient = fork) =>
    rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet.address] });

  /** The bundler takes no other operation with a nonce before it knows what became of the first. */
  const untilNoticed = async (userOpHash: Hex) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'pimlico_getUserOperationStatus', params: [userOpHash] };
    const response = await fetch(chain.bundlerUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { result } = (await response.json()) as { result: { status: string } };
    if (result.status !== 'included') await untilNoticed(userOpHash);
  };

  it('default: a wallet deposits on the fork through the bundler, and the chain knows nothing of it', async () => {
    await fund(await forkId());
    await setUpWallet(onFork, wallet);
    const receipt = await depositThroughBundler(onFork, wallet, vault, 10_000_000n);
    expect(receipt).toMatchObject({ success: true });
    await untilNoticed(receipt.userOpHash);
    expect(await balanceOf(vault)).toBeGreaterThan(0n);
    const below = createPublicClient({ transport: http(chain.rpcUrl) });
    expect([await balanceOf(vault, below), await balanceOf(usdc, below)]).toEqual([0n, 0n]);
  });

  it('behavior: the same bundler continues on the fork that replaces a killed one', async () => {
    const [before, head] = [await forkId(), await fork.getBlockNumber()];
    const anvils = [...childProcesses(service.child.pid ?? 0)].filter(([, command]) =>
      command.includes('anvil'),
    );
    expect(anvils).toHaveLength(1);
    for (const [pid] of anvils) process.kill(pid, 'SIGKILL');
    await untilEnded(anvils.map(([pid]) => pid));

    let id = await forkId();
    // The service may not have noticed yet.
    while (id === before) id = await forkId();
    await fund(id);
    expect(await fork.getBlockNumber()).toBeGreaterThanOrEqual(head);
    expect(await balanceOf(usdc)).toBe(50_000_000n);
    await setUpWallet(onFork, wallet);
    expect(await depositThroughBundler(onFork, wallet, vault, 10_000_000n)).toMatchObject({ success: true });
  });

  it('behavior: the bundler finds its contracts and gas on every fork', async () => {
    const utility = bundlerAccounts.at(-1) as Address;
    expect(await fork.getTransactionCount({ address: utility })).toBe(0);
    for (const address of bundlerAccounts) expect(await fork.getBalance({ address })).toBeGreaterThan(0n);
  });
});
