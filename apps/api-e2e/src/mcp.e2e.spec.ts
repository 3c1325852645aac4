import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentClient } from '@yield-vault/agent-client';
import { type VaultCandidate, vaultIdOf } from '@yield-vault/protocol';
import { createPublicClient, erc20Abi, http, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { forkedChains, sharedServer } from '../test/support/devnet.js';
import { startHttpMcp, startStdioMcp, type Mcp } from '../test/support/start-mcp.js';

const vaultTools = ['alternatives', 'discover_vaults', 'explain_vault', 'quote', 'vault_history'];
const intentTools = ['execute', 'gasless_setup', 'intent_status', 'positions', 'prepare', 'verify'];
const keylessTools = [...vaultTools, ...intentTools].sort();

describe('mcp', () => {
  const url = sharedServer('forked');
  const client = createAgentClient({ baseUrl: url });
  const { walletRpcUrl: rpcUrl } = forkedChains().base;
  const rpc = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  const account = privateKeyToAccount(generatePrivateKey());
  const wallet = account.address;
  const service = { SERVICE_URL: url, ADDRESS_BOOK: 'local' };
  let best: Address;
  let last: Address;
  let mcp: Mcp | undefined;

  beforeAll(async () => {
    const { vaults } = await client.discover({ chain: 'base', asset: 'USDC', limit: 20 });
    [best, last] = [vaults[0]!.vaultAddress, vaults.at(-1)!.vaultAddress];
  });
  afterEach(() => mcp?.stop());

  const toolsOf = async ({ client: connected }: Mcp) =>
    (await connected.listTools()).tools.map(({ name }) => name).sort();

  it('behavior: with a key, from a fresh wallet without ether to a redeemed position', async () => {
    const key = generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    const sharesOf = (vault: Address) =>
      rpc.readContract({ address: vault, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
    await client.fundWallet({ chain: 'base', walletAddress: address, usdcAmount: '50000000' });
    const STATE_FILE = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'total.jsonl');
    const limits = { MAX_AMOUNT: '25 USDC', MAX_DAILY: '30', STATE_FILE, ALLOWED_VAULTS: `${best},${last}` };
    mcp = await startStdioMcp({ ...service, ...limits, PRIVATE_KEY: key, RPC_URL: rpcUrl });
    expect(await toolsOf(mcp)).toEqual([...keylessTools, 'deposit', 'rebalance', 'redeem'].sort());
    const found = await mcp.call('discover_vaults', { asset: 'USDC', limit: 20 });
    const allowed = found.data.vaults.filter((one: { allowed: boolean }) => one.allowed);
    expect(allowed.map((one: VaultCandidate) => one.vaultAddress)).toEqual([best, last]);

    const steps: string[] = [];
    const onprogress = ({ message = '' }) => void steps.push(message);
    const deposited = await mcp.call('deposit', { vault: last, amount: '20' }, { onprogress });
    expect(deposited.data).toMatchObject({ result: 'executed', positionUpdate: { assetsDelta: '20' } });
    for (const step of ['deposit 20 USDC into', 'USDC for gas to paymaster'])
      expect(steps.join('\n')).toContain(step);

    const more = await mcp.call('deposit', { vault: last, amount: '10.000001' });
    expect(more.data.error.code).toBe('MAX_DAILY_EXCEEDED');

    const moved = await mcp.call('rebalance', { vault: last });
    expect([moved.isError, await sharesOf(last)]).toEqual([false, 0n]);
    const { data: held } = await mcp.call('positions', { wallet: address });
    expect(held.positions).toMatchObject([{ vaultAddress: best }]);
    const redeemed = await mcp.call('redeem', { vault: best, percentage: 100 });
    expect([redeemed.data.result, await sharesOf(best)]).toEqual(['executed', 0n]);
    const { data: listed } = await mcp.call('intent_status', { wallet: address });
    expect(listed.intents.map(({ state }: { state: string }) => state)).toEqual(Array(3).fill('confirmed'));
  });

  it('behavior: without a key over HTTP, from discover to status, with a setup over REST', async () => {
    const funds = { ethWei: '10000000000000000', usdcAmount: '50000000' };
    await client.fundWallet({ chain: 'base', walletAddress: wallet, ...funds });
    const connected = await startHttpMcp(service);
    mcp = connected;
    const read = async (name: string, given: object) => (await connected.call(name, given)).data;
    expect(await toolsOf(mcp)).toEqual(keylessTools);
    const found = await read('discover_vaults', { asset: 'USDC', limit: 20 });
    const vault = found.vaults.at(-1).vaultAddress as Address;
    expect((await read('explain_vault', { vault })).explanation).toBeDefined();
    const terms = { vault, amount: '1000000', days: 365 };
    expect(await read('quote', terms)).toMatchObject({
      apyAfter: expect.any(Number),
      warnings: expect.any(Array),
    });
    const { decision, best, bestAddress } = await read('alternatives', terms);
    expect(['HOLD', 'MOVE']).toContain(decision);
    expect(vaultIdOf(8453, bestAddress)).toBe(best.vaultId);

    const order = { operation: 'deposit', wallet, vault, amount: '10' };
    const first = await read('prepare', order);
    expect(first).toMatchObject({ needsSetup: true, setupType: 'full' });
    const { gasLimit, maxFeePerGas, maxPriorityFeePerGas, authorization, ...transaction } = first.transaction;
    const nonce = await rpc.getTransactionCount({ address: wallet });
    const authorized = await account.signAuthorization({ ...authorization, nonce: nonce + 1 });
    const signedRawTx = await account.signTransaction({
      ...transaction,
      nonce,
      type: 'eip7702',
      authorizationList: [authorized],
      gas: BigInt(gasLimit),
      maxFeePerGas: BigInt(maxFeePerGas),
      maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
    });
    await client.setupRelay({ setupTicket: first.setupTicket, signedRawTx, confirmations: 1 });

    const prepared = await read('prepare', order);
    const { intentEnvelope, signing, intentId, unchecked } = prepared;
    expect(prepared.costs.gasUsd).toBeGreaterThan(0);
    expect(unchecked).toHaveLength(1);
    expect(await read('verify', { ...order, intentEnvelope })).toMatchObject({ ok: true, intentId });
    const other = await read('verify', { ...order, amount: '11', intentEnvelope });
    expect(other.error.code).toBe('AMOUNT_MISMATCH');

    const request = { intentEnvelope, intentSignature: await account.signTypedData(signing) };
    expect((await read('execute', request)).result).toBe('executed');
    expect((await read('execute', request)).result).toBe('already_executed');
    expect((await read('intent_status', { intentId })).state).toBe('confirmed');
    expect((await read('positions', { wallet })).positionCount).toBe(1);
    expect((await read('vault_history', { vault, period: '24h' })).data.length).toBeGreaterThan(0);

    const next = (operation: string, fields: object) =>
      read('prepare', { operation, wallet, vault, ...fields });
    expect((await next('redeem', { percentage: 37.5 })).summary.join()).toContain(`of ${vault} for at least`);
    expect((await next('redeem', { percentage: 100 })).summary.join()).toContain('redeem all shares');
    const target = found.vaults[0].vaultAddress as Address;
    expect((await next('rebalance', { targets: [target] })).summary.join()).toContain(`into ${target}`);
    const [, second, third] = found.vaults.map(({ vaultAddress }: VaultCandidate) => vaultAddress);
    for (const target of [second, third].filter((one) => one !== vault))
      expect((await next('rebalance', { target })).summary.join()).toContain(`into ${target}`);
    const { vaults: others } = await client.discover({ asset: 'WETH' });
    const elsewhere = await next('rebalance', { target: others[0]!.vaultAddress });
    expect(elsewhere.error.code).toBe('ASSET_MISMATCH');
    const unlisted = (await client.vaults({ asset: 'USDC', chain: 'base', listed: false })).vaults[0]!;
    const refused = await next('rebalance', { target: unlisted.vaultAddress });
    expect(refused.error).toMatchObject({
      code: 'NO_SUITABLE_VAULTS',
      details: { exclusions: unlisted.exclusions },
    });
    expect((await next('rebalance', { target: vault })).error.code).toBe('INVALID_PARAMETERS');
    // What the service prepares is another rebalance than the agent wants.
    expect((await next('rebalance', { targets: [vault] })).error.code).toBe('NO_VAULT');
  });

  it('behavior: without a key, a wallet without ether deposits by gasless_setup', async () => {
    const agent = privateKeyToAccount(generatePrivateKey());
    await client.fundWallet({ chain: 'base', walletAddress: agent.address, usdcAmount: '50000000' });
    const connected = await startHttpMcp(service);
    mcp = connected;
    const order = { wallet: agent.address, vault: best, amount: '10' };
    const read = async (name: string, given: object) => (await connected.call(name, given)).data;
    const { gaslessSetup } = await read('prepare', { operation: 'deposit', ...order });
    expect(gaslessSetup.permit).toBeNull();
    const { address, chainId, nonce } = gaslessSetup.authorization;
    const { r, s, yParity } = await agent.signAuthorization({ contractAddress: address, chainId, nonce });
    const authorization = { address, chainId, nonce, r, s, yParity };
    const other = { ...authorization, r: s };
    expect(await read('gasless_setup', { ...order, authorization: other })).toMatchObject({ error: {} });
    const { intentEnvelope, signing, summary } = await read('gasless_setup', { ...order, authorization });
    expect(summary.join()).toContain(`deposit 10 USDC into`);
    const intentSignature = await agent.signTypedData(signing);
    expect((await read('execute', { intentEnvelope, intentSignature })).result).toBe('executed');
    expect((await read('positions', { wallet: agent.address })).positionCount).toBe(1);
  });
});
