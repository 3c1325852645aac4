import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainFacts } from '@yield-vault/contracts';
import { facilitatorKey, fundWallet } from '@yield-vault/devnet';
import { createPublicClient, erc20Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { devnetChains } from '../test/support/devnet.js';
import { startStdioMcp, type Mcp } from '../test/support/start-mcp.js';
import { startServer, type Server } from '../test/support/start-server.js';

const price = 10_000n;

describe('mcp of a paid deployment', () => {
  const { base } = devnetChains();
  const chain = createPublicClient({ transport: http(base.rpcUrl), cacheTime: 0 });
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(key).address;
  let server: Server;
  let mcp: Mcp | undefined;

  beforeAll(async () => {
    const payments = { PAYMENTS: 'on', PAYMENTS_PAY_TO: payTo, FACILITATOR_PRIVATE_KEY: facilitatorKey };
    server = await startServer({ backfillHours: 30, env: payments });
    await fundWallet(base, wallet, { usdc: 50_000_000n });
  }, 120_000);
  afterEach(() => mcp?.stop());
  afterAll(() => server?.stop());

  const start = async (env: Readonly<Record<string, string>>) =>
    (mcp = await startStdioMcp({ SERVICE_URL: server.url, ADDRESS_BOOK: 'local', ...env }));
  const earned = () => {
    const { address } = chainFacts(8453).usdc;
    return chain.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [payTo] });
  };

  it('error: a price that nobody pays, or that is above MAX_PRICE', async () => {
    const free = await (await start({})).call('discover_vaults');
    expect(free.data.error.code).toBe('PAYMENT_REQUIRED');
    expect(free.data.error.nextAction).toContain('PAYER_KEY and MAX_PRICE');
    await mcp?.stop();
    const { data } = await (await start({ PAYER_KEY: key, MAX_PRICE: '0.009' })).call('discover_vaults');
    expect(data.error.code).toBe('PAYMENT_REFUSED');
    expect(data.error.detail).toMatch(/0\.01 USDC.*\$0\.009/);
    expect(await earned()).toBe(0n);
  });

  it('default: a key with USDC alone pays for discover and prepare, and deposits', async () => {
    const STATE_FILE = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'total.jsonl');
    const payer = { PAYER_KEY: key, MAX_PRICE: '0.01' };
    const limits = { MAX_AMOUNT: '25 USDC', MAX_DAILY: '25 USDC', STATE_FILE, RPC_URL: base.rpcUrl };
    const found = await (await start(payer)).call('discover_vaults', { asset: 'USDC' });
    const vault = found.data.vaults[0].vaultAddress as string;
    await mcp?.stop();
    const signing = await start({ ...payer, ...limits, PRIVATE_KEY: key, ALLOWED_VAULTS: vault });
    const deposited = await signing.call('deposit', { vault, amount: '25' });
    expect(deposited.data).toMatchObject({ result: 'executed', positionUpdate: { assetsDelta: '25' } });
    expect(await chain.getBalance({ address: wallet })).toBe(0n);
    // For discover, prepare and gasless-setup.
    expect(await earned()).toBe(3n * price);
  });
});
