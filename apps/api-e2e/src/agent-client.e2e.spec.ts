import {
  createAgentClient,
  describeEvent,
  execute,
  localAddressBook,
  run,
  type Agent,
  type AgentSigner,
} from '@yield-vault/agent-client';
import { describeDelegation, revokeDelegation } from '@yield-vault/agent-client/delegation';
import { Wallet } from 'ethers';
import { createPublicClient, erc20Abi, http, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { forkedChains, sharedServer } from '../test/support/devnet.js';
import { startLossyProxy } from '../test/support/start-lossy-proxy.js';

type Chain = 'base' | 'ethereum';

describe('agent-client', () => {
  const baseUrl = sharedServer('forked');
  const client = createAgentClient({ baseUrl });
  const rpcOf = (chain: Chain) =>
    createPublicClient({ transport: http(forkedChains()[chain].walletRpcUrl), cacheTime: 0 });
  const balanceOf = (chain: Chain, token: Address, wallet: Address) =>
    rpcOf(chain).readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });

  const agentOf = async (
    signer: AgentSigner & { address: string },
    chain: Chain = 'base',
    ether: { ethWei?: string } = { ethWei: '10000000000000000' },
  ) => {
    const walletAddress = signer.address as Address;
    await client.fundWallet({ chain, walletAddress, ...ether, usdcAmount: '50000000' });
    const { walletRpcUrl: rpc } = forkedChains()[chain];
    return { client, signer, rpc, chain, addressBook: localAddressBook } satisfies Agent;
  };

  describe('viem on base', () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const wallet = signer.address;
    const shares = () => balanceOf('base', vault, wallet);
    const deposited = { kind: 'transaction', relayed: { setupType: 'full', modulesVerified: true } };
    let agent: Agent;
    let vault: Address;

    it('behavior: from key to earning position', async () => {
      agent = await agentOf(signer);
      const said: string[] = [];
      const result = await run({
        ...agent,
        asset: 'USDC',
        amount: '25',
        riskTolerance: 'low',
        onProgress: (event) => said.push(...describeEvent(event)),
      });
      vault = result.vault.vaultAddress;
      expect(result).toMatchObject({
        setup: deposited,
        execution: {
          result: 'executed',
          userOpHash: result.verified.userOpHash,
          positionUpdate: { assetsDelta: '25' },
        },
        position: { depositedAmount: '25', chain: 'base' },
      });
      expect(await shares()).toBeGreaterThan(0n);
      expect(said.join('\n')).toContain('25 USDC');
    });

    it('behavior: redeems a fraction', async () => {
      const before = await shares();
      const { setup } = await execute(agent, { operation: 'redeem', vault, asset: 'USDC', percentage: 37.5 });
      expect(setup.kind).toBe('already-set-up');
      expect(await shares()).toBe(before - (before * 375n) / 1_000n);
    });

    it('behavior: revokes the delegation, and comes back', async () => {
      const rpc = rpcOf('base');
      const options = { addressBook: localAddressBook };
      const { signedRawTx, missingWei } = await revokeDelegation(rpc, signer, options);
      expect(missingWei).toBe(0n);
      const hash = await rpc.sendRawTransaction({ serializedTransaction: signedRawTx! });
      expect((await rpc.waitForTransactionReceipt({ hash })).status).toBe('success');
      expect(await describeDelegation(rpc, wallet, options)).toMatchObject({
        delegation: { kind: 'none' },
        allowances: [],
      });
      const again = await execute(agent, { operation: 'deposit', vault, asset: 'USDC', amount: '5' });
      expect(again).toMatchObject({ setup: deposited, execution: { result: 'executed' } });
    });
  });

  it('behavior: ethers on ethereum, from key to earning position and back, without ether', async () => {
    const signer = new Wallet(generatePrivateKey());
    const address = signer.address as Address;
    const poor = await agentOf(signer, 'ethereum', {});
    const { setup, execution, vault: chosen } = await run({ ...poor, asset: 'USDC', amount: '25' });
    expect(setup).toEqual({ kind: 'within-deposit' });
    expect(execution).toMatchObject({ result: 'executed', positionUpdate: { assetsDelta: '25' } });
    const place = { vault: chosen.vaultAddress, asset: 'USDC' };
    await execute(poor, { operation: 'redeem', ...place, percentage: 100 });
    expect(await balanceOf('ethereum', chosen.vaultAddress, address)).toBe(0n);
    expect(await rpcOf('ethereum').getBalance({ address })).toBe(0n);
  });

  it('behavior: though all their responses are lost, setup and deposit are done once, signed once, and reported', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const signTypedData = jest.fn(account.signTypedData);
    const signTransaction = jest.fn(account.signTransaction);
    const honest = await agentOf({ ...account, signTypedData, signTransaction } as typeof account);
    const paths = ['/v1/yield/setup-relay', '/v1/yield/execute'];
    const proxy = await startLossyProxy(baseUrl, paths);
    try {
      const through = createAgentClient({ baseUrl: proxy.url, retries: 1 });
      const result = await run({ ...honest, client: through, asset: 'USDC', amount: '25' });
      const { userOpHash } = result.verified;
      expect(result).toMatchObject({
        setup: { kind: 'transaction', relayed: { receiptStatus: 'success', setupType: 'full' } },
        execution: { result: 'found_on_chain', userOpHash, receipt: { status: 'success' } },
        position: { depositedAmount: '25' },
      });
      // Each request was repeated as it was.
      for (const bodies of paths.map((path) => proxy.handledOn(path)))
        expect([bodies.length, new Set(bodies).size]).toEqual([2, 1]);
      expect([signTypedData, signTransaction].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
      // A direct request to the service returns the same execution.
      const { txHash } = result.execution;
      expect(await client.execute(result.request)).toMatchObject({ result: 'already_executed', txHash });
    } finally {
      await proxy.stop();
    }
  });
});
