import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Address,
  type Hex,
  createTestClient,
  getAddress,
  http,
  numberToHex,
  parseEther,
  publicActions,
} from 'viem';
import { createProgram } from '../src/cli/create-program.js';
import { chainFacts } from '../src/chains/chains.js';
import { localPriceFeedAbi } from './generated/LocalPriceFeed.js';
import { ethUsd, operator, operatorKey, startAnvil, useTestChain } from './support/chain.js';

const safe = getAddress(numberToHex(0x5afe, { size: 20 }));

async function runProgram(args: readonly string[]) {
  const [printed, notes]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void printed.push(text),
    note: (text: string) => void notes.push(text),
  };
  await createProgram(io).parseAsync(args, { from: 'user' });
  const result: Record<string, unknown> = { ...(JSON.parse(printed.join('')) as object), notes };
  return result;
}

describe('yield-vault-contracts', () => {
  const chain = useTestChain();
  const run = (command: string, ...args: readonly string[]) => {
    const sender = command === 'inspect' ? [] : ['--key-command', `echo ${operatorKey}`];
    return runProgram([command, ...args, ...sender, '--rpc', chain.client.transport.url!]);
  };
  const ours = ['--owner', operator.address] as const;
  let empty: Awaited<ReturnType<typeof startAnvil>> | undefined;
  afterAll(() => empty?.stop());

  it('inspect: contracts, roles, deposit, stake and price', async () => {
    const { contracts, paymaster } = (await run('inspect', ...ours)) as unknown as {
      contracts: readonly { readonly status: string }[];
      paymaster: Record<string, unknown>;
    };
    expect(contracts.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'ok'));
    expect(paymaster).toMatchObject({
      owner: operator.address,
      pauser: operator.address,
      usdcPerNative: '2500000000',
      unstakeDelaySec: 86_400,
      markupBps: 500,
    });
  });

  it('deploy: a second run changes nothing', async () => {
    const again = await run('deploy', ...ours, '--deposit', '100', '--stake', '1');
    expect(again).toMatchObject({ paymasterDeposit: 'unchanged', priceTxHash: null });
    const contracts = again['contracts'] as readonly { readonly status: string }[];
    expect(contracts.every(({ status }) => status === 'present')).toBe(true);
    const { notes } = await run('deploy', ...ours, '--stake', '1000');
    expect(notes).toContainEqual(expect.stringContaining('must add the rest by addStake'));
  });

  it('deploy: another owner and pauser get a paymaster of their own, with stake, deposit and price', async () => {
    const roles = ['--owner', safe, '--pauser', operator.address];
    const deployed = await run('deploy', ...roles, '--deposit', '2', '--stake', '3');
    expect(deployed).toMatchObject({ priceTxHash: expect.stringMatching(/^0x/) as string });
    const contracts = deployed['contracts'] as readonly { readonly block?: string }[];
    expect(contracts.map(({ block }) => Number(block) > 0)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(deployed['notes']).toEqual([expect.stringContaining('A Safe is safer')]);
    expect(await run('inspect', ...roles)).toMatchObject({
      paymaster: {
        pauser: operator.address,
        deposit: '2000000000000000000',
        stake: '3000000000000000000',
        usdcPerNative: '2500000000',
      },
    });
  });

  it("deploy: a third party's paymaster needs neither funds nor a price", async () => {
    const other = await run('deploy', '--paymaster', numberToHex(0xca, { size: 20 }));
    expect(other['contracts']).toHaveLength(5);
    expect(other['priceTxHash']).toBeNull();
  });

  it('refresh-price: stores the price of the feeds; a broken feed is an error that names the reason', async () => {
    await chain.write(chain.feed, localPriceFeedAbi, 'setAnswer', [2n * ethUsd]);
    expect(await run('refresh-price', ...ours)).toMatchObject({
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    });
    expect(await run('inspect', ...ours)).toMatchObject({ paymaster: { usdcPerNative: '5000000000' } });

    await chain.write(chainFacts(8453).sequencerFeed!, localPriceFeedAbi, 'setRound', [1n, 1n]);
    await expect(run('refresh-price', ...ours)).rejects.toThrow('PaymasterSequencerDown');
  });

  it('deploy --unsigned: on an empty chain, prints everything but the price for any sender', async () => {
    empty = await startAnvil({ chainId: 8453 });
    const node = createTestClient({ mode: 'anvil', transport: http(empty.rpcUrl) }).extend(publicActions);
    await node.setBalance({ address: safe, value: parseEther('10') });
    await node.impersonateAccount({ address: safe });
    const rpc = ['--rpc', empty.rpcUrl];
    const args = ['deploy', '--owner', safe, ...rpc, '--deposit', '2', '--stake', '3', '--unsigned', safe];
    const batch = await runProgram(args);
    expect(batch).toMatchObject({ version: '1.0', chainId: '8453', meta: { createdFromSafeAddress: safe } });
    const transactions = batch['transactions'] as readonly { to: Address; value: string; data: Hex }[];
    expect(transactions).toHaveLength(7);
    for (const { to, value, data } of transactions) {
      const transaction = { from: safe, to, data, value: numberToHex(BigInt(value)) };
      const hash: Hex = await node.request({ method: 'eth_sendTransaction', params: [transaction] } as never);
      const receipt = await node.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      expect(receipt.status).toBe('success');
    }
    expect(await runProgram(['inspect', '--owner', safe, ...rpc])).toMatchObject({
      paymaster: { deposit: '2000000000000000000', stake: '3000000000000000000' },
    });
    expect(await runProgram(args)).toMatchObject({ transactions: [] });
  });

  it('error: no owner, no sender, no paymaster at the address', async () => {
    const rpc = ['--rpc', chain.client.transport.url!];
    await expect(run('inspect')).rejects.toThrow('Give --owner');
    await expect(runProgram(['deploy', ...ours, ...rpc])).rejects.toThrow(
      'Give --keystore, --key-command or --unsigned.',
    );
    // The call would succeed there and stop nothing.
    const pause = ['paymaster', 'pause', '--owner', `0x${'1'.repeat(40)}`, '--unsigned', safe, ...rpc];
    await expect(runProgram(pause)).rejects.toThrow('No paymaster is at');
  });

  it.each([
    ['a key that is none', 'echo abcdef123', 'invalid private key'],
    ['a key outside of the curve', `echo ${'f'.repeat(64)}`, 'invalid private key'],
    ['two keys', `echo ${operatorKey}; echo ${operatorKey}`, 'invalid private key'],
    ['a command that fails', `echo ${operatorKey}; exit 3`, '--key-command ended with code 3.'],
  ])('error: %s', async (_, command, message) => {
    const args = ['refresh-price', ...ours, '--rpc', chain.client.transport.url!, '--key-command', command];
    const failure = await runProgram(args).catch((error: Error) => error);
    expect(String(failure)).toContain(message);
  });
});

it('deploy --help: prints the defaults in ether', () => {
  const deploy = createProgram({ out: () => undefined, note: () => undefined }).commands.find(
    (command) => command.name() === 'deploy',
  );
  expect(deploy!.helpInformation()).toMatch(/\(default: 0\.1\)[^]*\(default: 1\)/);
});

describe('the program', () => {
  const bin = join(import.meta.dirname, '../bin/yield-vault-contracts.js');
  const folder = mkdtempSync(join(tmpdir(), 'keystore-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  afterAll(() => rmSync(folder, { recursive: true }));
  // The vector of the Web3 Secret Storage definition.
  const secret = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
  const keystore = file(
    'pbkdf2.json',
    JSON.stringify({
      crypto: {
        cipher: 'aes-128-ctr',
        cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
        ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
        kdf: 'pbkdf2',
        kdfparams: {
          c: 262_144,
          dklen: 32,
          prf: 'hmac-sha256',
          salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
        },
        mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
      },
      id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
      version: 3,
    }),
  );
  const run = (input: string, ...args: readonly string[]) => {
    const rpc = ['--rpc', 'http://127.0.0.1:1'];
    const all = [bin, 'deploy', '--owner', safe, ...rpc, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { input, encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toContain(secret);
    return stderr;
  };
  // With its key, the program gets as far as the node, which is down.
  const nodeIsDown = /error: HTTP request failed.\n$/;

  it('asks for the password of a keystore, and does not show it', () => {
    const output = run('testpassword\n', '--keystore', keystore);
    expect(output).toMatch(/^Password:/);
    expect(output).toMatch(nodeIsDown);
    expect(output).not.toContain('testpassword');
    expect(run('', '--keystore', keystore)).toContain('error: No terminal: use --password-file.');
    expect(run('wrong\n', '--keystore', keystore)).toContain(`error: ${keystore} has another password`);
  });

  it('reads the password from a file', () => {
    const right = ['--password-file', file('right', 'testpassword\r\n')];
    expect(run('', '--keystore', keystore, ...right)).toMatch(nodeIsDown);
    const wrong = ['--password-file', file('wrong', 'test password')];
    expect(run('', '--keystore', keystore, ...wrong)).toMatch(/^error: .* has another password.*\n$/);
  });

  it.each([
    [
      'no such password',
      ['--keystore', keystore, '--password-file', join(folder, 'none')],
      /^error: ENOENT: .*none'\n$/,
    ],
    [
      'a bare key as keystore',
      ['--keystore', file('bare', secret), '--password-file', file('any', '')],
      /^error: .* is not Web3 Secret Storage of version 3.\n$/,
    ],
    [
      'a command that fails',
      ['--key-command', `cat ${join(folder, 'bare')}; exit 1`],
      /^error: --key-command ended with code 1\.\n$/,
    ],
  ])('error: %s', (_, args, message) => {
    const output = run('', ...args);
    expect(output).toMatch(message);
  });
});
