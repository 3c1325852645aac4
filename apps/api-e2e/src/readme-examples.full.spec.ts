import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ExecuteRequest, VaultCandidate } from '@yield-vault/protocol';
import ts from 'typescript';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import {
  type FundedAgent,
  fundedAgent,
  prepareSetup,
  setUp,
  signedDeposit,
  usdcVault,
} from '../test/support/funded-agent.js';
import { createGaslessWallet, prepareGasless, signGasless } from '../test/support/gasless-wallet.js';
import { startServer, type Server } from '../test/support/start-server.js';

const root = resolve(__dirname, '../../..');
const registry = JSON.parse(readFileSync(join(root, 'config/registry.local.json'), 'utf8')) as {
  readonly vaults: readonly { readonly chain: string; readonly asset: { readonly symbol: string } }[];
};
const localVaults = registry.vaults.filter(({ chain }) => chain === 'base');

/** Differences of the local chain to Base: it mines on demand. */
const chainFacts = `confirmations: 0,
  fork: { usdcBalanceSlot: 9, usdcMasterMinter: '0x00000000000000000000000000000000000a11ce' },`;

/** What an example takes from its caller. */
interface Declared {
  readonly constants?: Readonly<Record<string, unknown>>;
  /** By the name of the constant that the module exports. */
  readonly modules?: Readonly<Record<string, string>>;
}

/** The first example of a README, or a later one. */
function exampleOf(library: string, index = 0): string {
  const readme = readFileSync(join(root, 'libs', library, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  return examples[index]!;
}

/** Put local values in place of those of the real Base. */
function replace(code: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, code);
}

// The other examples run from the published packages, in tools/architecture.
describe('README examples that need the vaults or the bundler of a chain', () => {
  const { base } = devnetChains();
  const urls = { BASE_RPC_URL: base.rpcUrl, BASE_BUNDLER_URL: base.bundlerUrl };
  // Nx asks for colours.
  const env = { ...process.env, ...urls, FORCE_COLOR: '0' };
  let server: Server;
  let api: ApiClient;
  let folder: string;
  let vault: VaultCandidate;
  let shareDecimals: number;

  beforeAll(async () => {
    server = await startServer({ backfillHours: 48 });
    api = await createApiClient(server.url);
    vault = await usdcVault(api);
    ({ shareDecimals } = await api.explain(vault.vaultId));
    // Below the repository, so that its packages are found.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(join(root, 'node_modules/.cache/readme-'));
  }, 90_000);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const compile = (code: string): string => {
    const { target, module } = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    const local = code.replaceAll("explorerUrl: 'https://basescan.org',", `$& ${chainFacts}`);
    return ts.transpile(local, { target, module, verbatimModuleSyntax: true });
  };
  /** Write a program: the example, the constants that it declares, and modules that export such constants. */
  const write = (example: string, { constants = {}, modules = {} }: Declared = {}): string => {
    const place = mkdtempSync(join(folder, 'example-'));
    const lines = Object.entries(constants).map(
      ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
    );
    for (const [name, code] of Object.entries(modules)) {
      writeFileSync(join(place, `${name}.mjs`), compile(code));
      lines.push(`import { ${name} } from './${name}.mjs';`);
    }
    const file = join(place, 'example.mjs');
    writeFileSync(file, compile([...lines, example].join('\n')));
    return file;
  };
  const run = async (example: string, declared?: Declared): Promise<string> => {
    const file = write(example, declared);
    const options = { cwd: dirname(file), env, timeout: 50_000 };
    return (await promisify(execFile)(process.execPath, [file], options)).stdout;
  };

  const discovery = () =>
    replace(exampleOf('vault-discovery'), { 'shippedRegistry()': JSON.stringify(localVaults) });
  /** Discovery as a module. */
  const vaultsModule = () =>
    replace(discovery(), {
      'discoverySchema.parse({})': 'discoverySchema.parse({ backfillHours: 24 })',
      '.local/database': '.local/discovery',
      'const { vaults }': 'const page',
      'console.log(vaults);': 'const stop = async () => {',
      'await database.close();': 'await database.close(); };\nexport const vaults = { ...discovery, stop };',
    });
  const builderFor = (agentAddress: string) =>
    replace(exampleOf('intent-builder'), {
      '2541234567890123456': vault.vaultId,
      '0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183': vault.vaultAddress,
      'shareDecimals: 18': `shareDecimals: ${shareDecimals}`,
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': agentAddress,
    });

  it('vault-discovery: samples and ranks', async () => {
    expect(await run(discovery())).toContain(`vaultId: '${vault.vaultId}'`);
  });

  it('intent-builder 1: prepares a deposit', async () => {
    const agent = await fundedAgent();
    await setUp(api, agent, vault.vaultId);
    expect(await run(builderFor(agent.address))).toContain("primaryType: 'Intent'");
  });

  it('intent-builder 2: prepares the first deposit of a wallet without ether', async () => {
    const wallet = await createGaslessWallet(base, vault.vaultId);
    const { gaslessSetup } = await prepareGasless(api, wallet);
    const { authorization, agentAddress } = await signGasless(wallet, gaslessSetup);
    const example = replace(exampleOf('intent-builder', 1), {
      '2541234567890123456': vault.vaultId,
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': agentAddress,
    });
    const builder = builderFor(agentAddress).replace('const builder', 'export const builder');
    const output = await run(example, {
      constants: { authorization },
      modules: { builder },
    });
    expect(output).toContain(gaslessSetup.authorization?.contractAddress);
  });

  it('setup-relay: relays a setup', async () => {
    const agent = await fundedAgent();
    const { setup, setupTicket } = await prepareSetup(api, agent, vault.vaultId);
    // A second confirmation would be the next block, which nobody mines.
    const request = { setupTicket, signedRawTx: await agent.signSetup(setup), confirmations: 1 };
    const output = await run(exampleOf('setup-relay'), { constants: { request } });
    expect(output).toContain("receiptStatus: 'success'");
  });

  describe('of a signed deposit', () => {
    let agent: FundedAgent;
    let request: ExecuteRequest;
    beforeAll(async () => {
      agent = await fundedAgent();
      await setUp(api, agent, vault.vaultId);
      request = await signedDeposit(api, agent, vault.vaultId);
    });

    it('protocol: recomputes what the wallet signs', async () => {
      const output = await run(exampleOf('protocol'), { constants: { envelope: request.intentEnvelope } });
      expect(output).toContain(request.intentEnvelope.merkleRoot);
    });

    it('smart-account: decodes the call data', async () => {
      const { callData } = request.intentEnvelope.userOps[0]!.userOperation;
      expect(await run(exampleOf('smart-account'), { constants: { callData } })).toContain("hook: 'deposit'");
    });

    it('execution-relay and positions: executes, and reports the position', async () => {
      const modules = { vaults: vaultsModule() };
      const stop = '\nawait vaults.stop();';
      const constants = { request };
      const executed = await run(exampleOf('execution-relay') + stop, { constants, modules });
      expect(executed).toContain("result: 'executed'");
      const read = `await positions.status('${agent.address}')`;
      // The deposit is older than the example's follower.
      const isUnread = `(${read}).positions[0]?.costBasis !== 'exact'`;
      const waiting = `while (${isUnread}) await new Promise((resolve) => setTimeout(resolve, 100));`;
      const positions = replace(exampleOf('positions'), {
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': agent.address,
        '38_000_000n': '0n',
        'console.log(': `${waiting}\nconsole.log(`,
      });
      expect(await run(positions + stop, { modules })).toContain("depositedAmount: '5'");
    });

    it('forks: simulates an operation whose nonce is used', async () => {
      const { expiry, validAfter, userOps, proofs } = request.intentEnvelope;
      const signed = { expiry, validAfter, signature: request.intentSignature, proof: proofs?.[0] };
      const operation = `import { fromWireUserOperation } from '@yield-vault/protocol';
        import { encodeIntentSignature } from '@yield-vault/smart-account';
        const unsigned = fromWireUserOperation(${JSON.stringify(userOps[0]?.userOperation)});
        const signature = encodeIntentSignature(${JSON.stringify(signed)});
        export const operation = { ...unsigned, signature };`;
      const userOpHash = `import { userOperationHash } from '@yield-vault/protocol';
        import { operation } from './operation.mjs';
        export const userOpHash = userOperationHash(operation, '${base.entryPoint}', ${base.chainId});`;
      const output = await run(exampleOf('forks'), { modules: { operation, userOpHash } });
      expect(output).toContain('usdcBaseUnits: 50000000n');
      expect(output).toContain('AA25');
    });
  });

  it('payments: serves a paid resource', async () => {
    const child = spawn(process.execPath, [write(exampleOf('payments'))], { cwd: folder, env });
    const ended = once(child, 'exit');
    const call = () => fetch('http://127.0.0.1:8402/quote', { method: 'POST' }).catch(() => undefined);
    let response = await call();
    for (; !response && child.exitCode === null; response = await call()) await sleep(50);
    expect(response?.status).toBe(402);
    child.kill();
    await ended;
  });
});
