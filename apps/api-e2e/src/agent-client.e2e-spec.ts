import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createAgentClient,
  describeDelegation,
  execute,
  IntentPendingError,
  localAddressBook,
  resolveIntent,
  revokeDelegation,
  run,
  VerificationError,
  type Agent,
  type AgentClient,
  type AgentSigner,
  type ExecuteRequest,
} from '@yield-vault/agent-client';
import { Wallet } from 'ethers';
import { delegationCode } from '@yield-vault/smart-account';
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  http,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { forkedChains, sharedForkService } from '../test/support/devnet.js';
import { startLossyProxy, type LossyProxy, type Substitute } from '../test/support/start-lossy-proxy.js';
import { startServer, type Server } from '../test/support/start-server.js';

type Fetch = (request: Request) => Promise<Response>;

describe('agent-client', () => {
  let server: Server;
  let client: AgentClient;

  beforeAll(async () => {
    server = await startServer({ forkService: sharedForkService(), backfillHours: 48 });
    client = createAgentClient({ baseUrl: server.url });
  }, 90_000);
  afterAll(() => server?.stop());

  const agentOf = async (
    signer: AgentSigner & { address: string },
    chain: 'base' | 'ethereum' = 'base',
    ether: { ethWei?: string } = { ethWei: '10000000000000000' },
  ) => {
    const walletAddress = signer.address as Address;
    await client.fundWallet({ chain, walletAddress, ...ether, usdcAmount: '50000000' });
    const { walletRpcUrl: rpcUrl } = forkedChains()[chain];
    return { client, signer, rpcUrl, chain, addressBook: localAddressBook } satisfies Agent;
  };
  const rpcOf = (chain: 'base' | 'ethereum') =>
    createPublicClient({ transport: http(forkedChains()[chain].walletRpcUrl), cacheTime: 0 });
  const balanceOf = (token: Address, wallet: Address, chain: 'base' | 'ethereum' = 'base') =>
    rpcOf(chain).readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });
  /** The JavaScript of a document. */
  const exampleOf = async (document: string) =>
    /```js\n([\s\S]+?)```/.exec(await readFile(join(__dirname, '../../..', document), 'utf8'))![1]!;
  /** Output of an example, run unchanged. */
  const runExample = async (example: string, privateKey: Hex, rpcUrl: string) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', example],
      {
        cwd: __dirname,
        env: {
          PATH: process.env['PATH'],
          YIELD_VAULT_URL: server.url,
          PRIVATE_KEY: privateKey,
          BASE_RPC_URL: rpcUrl,
        },
      },
    );
    return stdout;
  };
  /** A client whose way to the service somebody sits on. */
  const through = (onTheWay: (request: Request, go: Fetch) => Promise<Response>, retries = 3) =>
    createAgentClient({ baseUrl: server.url, retries, fetch: (request) => onTheWay(request, fetch) });
  /** Changes the request to prepare: the response is honest, but answers a different request. */
  const askingFor = (change: object) => {
    const paths: string[] = [];
    const changed = through(async (request, go) => {
      const path = new URL(request.url).pathname;
      paths.push(path);
      if (path !== '/v1/yield/prepare') return go(request);
      const body = JSON.stringify({ ...((await request.json()) as object), ...change });
      return go(new Request(request.url, { method: 'POST', headers: request.headers, body }));
    });
    return { changed, paths };
  };

  describe.each([
    ['viem', 'base', () => privateKeyToAccount(generatePrivateKey())],
    ['ethers', 'ethereum', () => new Wallet(generatePrivateKey())],
  ] as const)('%s on %s', (_, chain, createSigner) => {
    let agent: Agent;
    let vault: Address;
    let wallet: Address;

    it('behavior: from key to earning position', async () => {
      const signer = createSigner();
      wallet = signer.address as Address;
      agent = await agentOf(signer, chain);
      const said: string[] = [];
      const result = await run({
        ...agent,
        asset: 'USDC',
        amount: '25',
        riskTolerance: 'low',
        onProgress: (line) => said.push(line),
      });
      vault = result.vault.vaultAddress;
      expect(result.setup).toMatchObject({ setupType: 'full', modulesVerified: true });
      expect(result.execution).toMatchObject({
        result: 'executed',
        userOpHash: result.verified.userOpHash,
        positionUpdate: { assetsDelta: '25' },
      });
      expect(result.position).toMatchObject({ depositedAmount: '25', chain });
      expect(await balanceOf(vault, wallet, chain)).toBeGreaterThan(0n);
      expect(said.join('\n')).toContain('25 USDC');
    });

    it('behavior: from key to earning position and back, without ether', async () => {
      const signer = createSigner();
      const address = signer.address as Address;
      const poor = await agentOf(signer, chain, {});
      const { setup, execution, vault: chosen } = await run({ ...poor, asset: 'USDC', amount: '25' });
      expect(setup).toBeUndefined();
      expect(execution).toMatchObject({ result: 'executed', positionUpdate: { assetsDelta: '25' } });
      const place = { vault: chosen.vaultAddress, asset: 'USDC' };
      await execute(poor, { operation: 'redeem', ...place, percentage: 100 });
      expect(await balanceOf(chosen.vaultAddress, address, chain)).toBe(0n);
      expect(await rpcOf(chain).getBalance({ address })).toBe(0n);
    });

    it('behavior: redeems a fraction, then everything', async () => {
      const before = await balanceOf(vault, wallet, chain);
      await execute(agent, { operation: 'redeem', vault, asset: 'USDC', percentage: 37.5 });
      expect(await balanceOf(vault, wallet, chain)).toBe(before - (before * 375n) / 1_000n);
      const { setup, execution } = await execute(agent, {
        operation: 'redeem',
        vault,
        asset: 'USDC',
        percentage: 100,
      });
      expect([setup, execution.result]).toEqual([undefined, 'executed']);
      expect(await balanceOf(vault, wallet, chain)).toBe(0n);
    });

    it('behavior: revokes the delegation, and comes back', async () => {
      const rpc = rpcOf(chain);
      const options = { addressBook: localAddressBook };
      const { signedRawTx, missingWei } = await revokeDelegation(rpc, agent.signer, options);
      expect(missingWei).toBe(0n);
      const hash = await rpc.sendRawTransaction({ serializedTransaction: signedRawTx! });
      expect((await rpc.waitForTransactionReceipt({ hash })).status).toBe('success');
      expect(await describeDelegation(rpc, wallet, options)).toMatchObject({
        delegation: { kind: 'none' },
        allowances: [],
      });

      const requested = { operation: 'deposit', vault, asset: 'USDC', amount: '5' } as const;
      const { setup, execution } = await execute(agent, requested);
      expect(setup).toMatchObject({ setupType: 'full', modulesVerified: true });
      expect(execution.result).toBe('executed');
    });
  });

  it('behavior: the example of the README, as it is printed there', async () => {
    const privateKey = generatePrivateKey();
    const { rpcUrl } = await agentOf(privateKeyToAccount(privateKey));
    const example = await exampleOf('libs/agent-client/README.md');
    expect(example.trim().split('\n')).toHaveLength(10);
    const stdout = await runExample(example, privateKey, rpcUrl);
    expect(stdout).toContain("depositedAmount: '25'");
    expect(stdout).toContain("chain: 'base'");
  });

  it('behavior: the setup of docs/signing.md, signed without this library', async () => {
    const privateKey = generatePrivateKey();
    const { rpcUrl } = await agentOf(privateKeyToAccount(privateKey));
    const stdout = await runExample(await exampleOf('docs/signing.md'), privateKey, rpcUrl);
    expect(stdout).toContain('delegationVerified: true');
    expect(stdout).toContain('modulesVerified: true');
  });

  it('behavior: a delegation of other software is replaced only where that is wanted', async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const agent = await agentOf(signer);
    const { vaults } = await client.discover({ chain: 'base', asset: 'USDC' });
    const requested = {
      operation: 'deposit',
      vault: vaults[0]!.vaultAddress,
      asset: 'USDC',
      amount: '5',
    } as const;
    // Any code of somebody else.
    const elsewhere = requested.vault;
    const other = createWalletClient({ account: signer, chain: base, transport: http(agent.rpcUrl) });
    const authorization = await other.signAuthorization({ contractAddress: elsewhere, executor: 'self' });
    const hash = await other.sendTransaction({ to: zeroAddress, authorizationList: [authorization] });
    await rpcOf('base').waitForTransactionReceipt({ hash });
    const codeOf = () => rpcOf('base').getCode({ address: signer.address });
    expect(await codeOf()).toBe(delegationCode(elsewhere));

    const { changed, paths } = askingFor({});
    await expect(execute({ ...agent, client: changed }, requested)).rejects.toMatchObject({
      name: 'VerificationError',
      reason: 'DELEGATION_MISMATCH',
    });
    expect([paths, await codeOf()]).toEqual([['/v1/yield/prepare'], delegationCode(elsewhere)]);

    const { setup, execution } = await execute({ ...agent, replaceDelegation: true }, requested);
    expect([setup?.setupType, execution.result]).toEqual(['full', 'executed']);
    expect(await codeOf()).toBe(delegationCode(localAddressBook.deployments[0]!.account));
  });

  it('behavior: yield-vault-agent describes a response of prepare, and refuses a different request', async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const agent = await agentOf(signer);
    const [vault] = (await client.discover({ chain: 'base', asset: 'USDC' })).vaults;
    await execute(agent, { operation: 'deposit', vault: vault!.vaultAddress, asset: 'USDC', amount: '5' });
    const prepared = await client.prepare({
      operation: 'redeem',
      chain: 'base',
      agentAddress: signer.address,
      vaultId: vault!.vaultId,
      percentage: 100,
    });
    const expected = (minAssets: string) => ({
      wallet: signer.address,
      chain: 'base',
      operation: { kind: 'redeem', vault: vault!.vaultAddress, shares: 'all', minAssets },
      maxGasUsdc: '10000000',
    });
    const directory = await mkdtemp(join(tmpdir(), 'agent-client-'));
    const write = async (name: string, content: unknown) => {
      await writeFile(join(directory, name), JSON.stringify(content));
      return join(directory, name);
    };
    const bin = join(__dirname, '../../../libs/agent-client/bin/yield-vault-agent.js');
    const verify = async (minAssets: string) =>
      promisify(execFile)(process.execPath, [
        ...[bin, 'verify', await write('prepared.json', prepared), '--local'],
        ...['--expect', await write('expected.json', expected(minAssets))],
      ]);
    try {
      expect((await verify('4900000')).stdout).toMatch(/^OK\n[^]*redeem all shares/);
      await expect(verify('5900000')).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^REFUSED MINIMUM_TOO_LOW/) as string,
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('behavior: rebalances to a vault that was named, and to no other', async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const agent = await agentOf(signer);
    const { vaults } = await client.discover({ chain: 'base', asset: 'USDC', limit: 20 });
    const [best, worst] = [vaults[0]!.vaultAddress, vaults.at(-1)!.vaultAddress];
    const { vault } = await run({ ...agent, asset: 'USDC', amount: '20', vaults: [worst] });
    expect(vault.vaultAddress).toBe(worst);

    const requested = { operation: 'rebalance', vault: worst, asset: 'USDC' } as const;
    const elsewhere = vaults.map(({ vaultAddress }) => vaultAddress).filter((one) => one !== best);
    await expect(execute(agent, { ...requested, targets: elsewhere })).rejects.toMatchObject({
      code: 'NO_VAULT',
    });
    expect(await balanceOf(best, signer.address)).toBe(0n);

    const { execution } = await execute(agent, { ...requested, targets: [best] });
    expect(execution.sourcePositionUpdate).toBeDefined();
    expect(await balanceOf(worst, signer.address)).toBe(0n);
    expect(await balanceOf(best, signer.address)).toBeGreaterThan(0n);
  });

  describe('a service that cannot be trusted', () => {
    let agent: Agent;
    let wallet: Address;
    let vault: Address;
    let otherVaultId: string;
    const requested = () => ({ operation: 'deposit', vault, asset: 'USDC', amount: '5' }) as const;

    beforeAll(async () => {
      const signer = privateKeyToAccount(generatePrivateKey());
      agent = await agentOf(signer);
      wallet = signer.address;
      const { vaults } = await client.discover({ chain: 'base', asset: 'USDC' });
      [vault, otherVaultId] = [vaults[0]!.vaultAddress, vaults[1]!.vaultId];
    });

    const nonces = async () => rpcOf('base').getTransactionCount({ address: wallet });

    it('error: CHAIN_MISMATCH for a node of another chain, before any request to the service', async () => {
      const { changed, paths } = askingFor({});
      const rpcUrl = forkedChains().ethereum.walletRpcUrl;
      await expect(execute({ ...agent, client: changed, rpcUrl }, requested())).rejects.toMatchObject({
        name: 'FlowError',
        code: 'CHAIN_MISMATCH',
      });
      expect([paths, await nonces()]).toEqual([[], 0]);
    });

    it('error: the setup of another wallet', async () => {
      const { changed, paths } = askingFor({
        agentAddress: privateKeyToAccount(generatePrivateKey()).address,
      });
      await expect(execute({ ...agent, client: changed }, requested())).rejects.toBeInstanceOf(
        VerificationError,
      );
      expect([paths, await nonces()]).toEqual([['/v1/yield/prepare'], 0]);
    });

    it.each([
      ['another amount', () => ({ amount: '20' }), 'AMOUNT_MISMATCH'],
      ['another vault', () => ({ vaultId: otherVaultId }), 'VAULT_MISMATCH'],
    ])('error: the intent of %s', async (_, change, reason) => {
      await execute(agent, requested());
      const before = await balanceOf(vault, wallet);
      const { changed, paths } = askingFor(change());
      await expect(execute({ ...agent, client: changed }, requested())).rejects.toMatchObject({ reason });
      expect([paths, await balanceOf(vault, wallet)]).toEqual([['/v1/yield/prepare'], before]);
    });

    it('behavior: a request whose response is lost is repeated, and the deposit is made once', async () => {
      const before = await balanceOf(vault, wallet);
      let lost = 0;
      let lastRequest: ExecuteRequest | undefined;
      const lossy = through(async (request, go) => {
        const copy = request.clone();
        const response = await go(request);
        if (!request.url.endsWith('/execute')) return response;
        lastRequest = (await copy.json()) as ExecuteRequest;
        if (lost++ > 0) return response;
        throw new TypeError('the line is cut');
      });
      const { execution, verified } = await execute({ ...agent, client: lossy }, requested());
      expect([lost, execution.result, execution.userOpHash]).toEqual([
        2,
        'already_executed',
        verified.userOpHash,
      ]);
      const deposited = await balanceOf(vault, wallet);
      expect(deposited).toBeGreaterThan(before);
      // Asked once more, it is still the same deposit.
      expect((await client.execute(lastRequest!)).userOpHash).toBe(verified.userOpHash);
      expect(await balanceOf(vault, wallet)).toBe(deposited);
    });

    it('error: IntentPendingError says how to go on', async () => {
      const dead = through(async (request, go) => {
        if (!request.url.endsWith('/execute')) return go(request);
        throw new TypeError('the line is cut');
      }, 0);
      const error = await execute({ ...agent, client: dead }, requested()).then(
        () => undefined,
        (reason: unknown) => reason as IntentPendingError,
      );
      expect(error).toBeInstanceOf(IntentPendingError);
      expect(error!.expiry * 1_000).toBeGreaterThan(Date.now());
      expect((await resolveIntent(agent, error!.request)).result).toBe('executed');
      // Asked once more, it is the same execution.
      expect((await resolveIntent(agent, error!.request)).result).toBe('already_executed');
    });
  });

  describe('responses lost after the service executed the request', () => {
    const paths = { setup: '/v1/yield/setup-relay', execute: '/v1/yield/execute' };
    const refusal = (error: string, code: string, details: object): Substitute => ({
      status: 400,
      body: {
        ...{ statusCode: 400, error, code, detail: '', retryable: false },
        ...{ nextAction: 'Call prepare again.', details, requestId: 'lost' },
      },
    });
    // The response of a service that lost its ledger.
    const duplicates = {
      [paths.setup]: refusal('Setup transaction rejected', 'SETUP_TRANSACTION_REJECTED', {
        failedCheck: 'tx-broadcast',
        reason: 'NONCE_TOO_LOW',
      }),
      [paths.execute]: refusal('Transaction submission failed', 'TRANSACTION_SUBMISSION_FAILED', {
        aaCode: 'AA25',
      }),
    };
    const silence = { [paths.setup]: undefined, [paths.execute]: undefined };
    let proxy: LossyProxy;
    afterEach(() => proxy?.stop());

    it.each([
      ['refused as duplicates', duplicates, 1],
      ['lost again and again', silence, 2],
    ])(
      'behavior: %s, setup and deposit are done once, signed once, and reported',
      async (_, lossy, times) => {
        const account = privateKeyToAccount(generatePrivateKey());
        const signTypedData = jest.fn(account.signTypedData);
        const signTransaction = jest.fn(account.signTransaction);
        const signer = { ...account, signTypedData, signTransaction } as typeof account;
        const honest = await agentOf(signer);
        proxy = await startLossyProxy(server.url, lossy);
        const through = createAgentClient({ baseUrl: proxy.url, retries: 1 });

        const result = await run({ ...honest, client: through, asset: 'USDC', amount: '25' });
        expect(result).toMatchObject({
          setup: { receiptStatus: 'success', setupType: 'full' },
          execution: {
            result: 'found_on_chain',
            userOpHash: result.verified.userOpHash,
            receipt: { status: 'success' },
          },
          position: { depositedAmount: '25' },
        });
        for (const path of Object.values(paths)) {
          const bodies = proxy.handledOn(path);
          expect([bodies.length, new Set(bodies).size]).toEqual([times, 1]);
        }
        expect([signTypedData, signTransaction].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
        // A direct request to the service returns the same execution.
        expect(await client.execute(result.request)).toMatchObject({
          result: 'already_executed',
          txHash: result.execution.txHash,
        });
      },
    );

    it('behavior: settleIntent takes a refusal for no outcome', async () => {
      const agent = await agentOf(privateKeyToAccount(generatePrivateKey()));
      const { request, execution } = await run({ ...agent, asset: 'USDC', amount: '25' });
      proxy = await startLossyProxy(server.url, duplicates);
      const through = createAgentClient({ baseUrl: proxy.url });
      expect(await resolveIntent({ ...agent, client: through }, request)).toMatchObject({
        result: 'found_on_chain',
        txHash: execution.txHash,
      });
    });
  });
});
