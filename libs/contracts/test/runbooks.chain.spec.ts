import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { encryptKeystoreJsonSync } from 'ethers';
import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  getAddress,
  numberToHex,
  parseEther,
} from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import {
  type PaymasterRoles,
  canonical,
  contractAddresses,
  paymasterDeployment,
} from '../src/address-book.js';
import { chainFacts } from '../src/chains/chains.js';
import { createProgram } from '../src/cli/create-program.js';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { updatePaymasterPrice } from '../src/paymaster-price.js';
import { localPriceFeedAbi, localPriceFeedDeployedBytecode } from './generated/LocalPriceFeed.js';
import { balanceOf, configuredAgent, grantOf, pair } from './support/account.js';
import { handleOps } from './support/bundle.js';
import { entryPoint, ethUsd, mineAt, operatorKey, undoEachTest, useTestChain } from './support/chain.js';
import { now, poke, termsOf } from './support/paymaster.js';
import { handleOpsRevert } from './support/reverts.js';

const operations = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
const runbook = operations.slice(
  operations.indexOf('## The paymaster'),
  operations.indexOf('## A deep reorg'),
);

/** The commands below a heading, in their order. */
function commandsOf(heading: string): readonly string[] {
  const section = runbook.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^ *contracts (.+)$/gm)].map(([, command]) => command!);
}

const password = 'correct horse';
const key = { safe: generatePrivateKey(), newSafe: generatePrivateKey(), pauser: generatePrivateKey() };
const newPauserKey = generatePrivateKey();
const [safe, otherSafe] = [privateKeyToAddress(key.safe), privateKeyToAddress(key.newSafe)];
const [pauser, newPauser] = [privateKeyToAddress(key.pauser), privateKeyToAddress(newPauserKey)];
const feed = getAddress(numberToHex(0xfeed, { size: 20 }));
const roles: PaymasterRoles = { owner: safe, pauser };
const facts = chainFacts(8453);
const day = 86_400n;

interface Batch {
  readonly chainId: string;
  readonly meta: { readonly createdFromSafeAddress: Address };
  readonly transactions: readonly { readonly to: Address; readonly value: string; readonly data: Hex }[];
}

/** The commands of docs/operations.md, "The paymaster": printed for a Safe and run by it, or signed with a keystore. */
describe.each(['unsigned', 'keystore'] as const)('runbooks, %s', (mode) => {
  const chain = useTestChain();
  const { paymaster } = contractAddresses(8453, roles);
  const folder = mkdtempSync(join(tmpdir(), 'runbooks-'));
  const path = process.env['PATH'];
  let agent: PrivateKeyAccount;

  const variables: Record<string, string> = {
    SAFE: safe,
    NEW_SAFE: otherSafe,
    NEW_PAUSER: newPauser,
    USDC: facts.usdc.address,
    CEILING: String(facts.paymaster.operationCeiling),
    OLD: paymaster,
  };
  /** Split a command as a shell does, with the files of this test. */
  function wordsOf(command: string): readonly string[] {
    const isSigned = mode === 'keystore';
    const text = (isSigned ? command.replace(/--unsigned "\$(\w+)"/, '--keystore $1.json') : command)
      .replace(/--keystore (\S+)/, `--keystore ${folder}/$1 --password-file ${folder}/password`)
      .replaceAll(/"\$(\w+)"/g, (_, name: string) => variables[name]!);
    return [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
  }

  /** Run a command, and let its sender send what it prints, as a Safe does. */
  async function run(command: string, owner = safe, by = pauser): Promise<void> {
    const printed: string[] = [];
    const io = { out: (text: string) => void printed.push(text), note: () => undefined };
    const common = ['--rpc', chain.client.transport.url!, '--owner', owner, '--pauser', by];
    await createProgram(io).parseAsync([...wordsOf(command), ...common], { from: 'user' });
    const result = JSON.parse(printed.join('')) as Batch | { readonly transactions?: undefined };
    if (result.transactions) await sendBatch(result);
  }
  async function sendBatch({ chainId, meta, transactions }: Batch) {
    expect(chainId).toBe('8453');
    expect(transactions).not.toHaveLength(0);
    const from = meta.createdFromSafeAddress;
    await chain.node.impersonateAccount({ address: from });
    for (const { to, value, data } of transactions) {
      const transaction = { from, to, data, value: numberToHex(BigInt(value)) };
      const request = { method: 'eth_sendTransaction', params: [transaction] };
      const { status } = await chain.mined(chain.client.request(request as never));
      expect(status).toBe('success');
    }
    await chain.node.stopImpersonatingAccount({ address: from });
  }
  async function deploy(owner: Address, by: Address) {
    await run('deploy --deposit 5 --stake 1 --unsigned "$SAFE"', owner, by);
    await run("refresh-price --key-command 'pass show deployer'", owner, by);
  }

  const through = (address: Address) => ({
    paymasterAndData: concatHex([address, pair(120_000n, 40_000n), grantOf(chain.usdc, 10_000_000n)]),
  });
  const pays = async (address: Address = paymaster) =>
    (await handleOps(chain, await poke(chain, agent, through(address)))).outcome.success;
  const refused = async (address: Address = paymaster) =>
    (await handleOpsRevert(chain, await poke(chain, agent, through(address)))).slice(0, 2);
  const depositOf = (address: Address) =>
    chain.read(entryPoint, entryPointV08Abi, 'getDepositInfo', [address]);
  const paused = ['AA33 reverted', 'PaymasterCostAboveCeiling'];

  beforeAll(async () => {
    const keys = { 'SAFE.json': key.safe, 'NEW_SAFE.json': key.newSafe, 'pauser.json': key.pauser };
    for (const [name, privateKey] of Object.entries(keys)) {
      const account = { address: privateKeyToAddress(privateKey), privateKey };
      // As few rounds as the format allows: the test is not about guessing.
      const text = encryptKeystoreJsonSync(account, password, { scrypt: { N: 2, r: 8, p: 1 } });
      writeFileSync(join(folder, name), text);
      await chain.node.setBalance({ address: account.address, value: parseEther('20') });
    }
    writeFileSync(join(folder, 'password'), `${password}\n`);
    // A password manager.
    writeFileSync(join(folder, 'pass'), `#!/bin/sh\necho ${operatorKey}\n`, { mode: 0o700 });
    process.env['PATH'] = `${folder}${delimiter}${path}`;
    await deploy(safe, pauser);
    agent = await configuredAgent(chain);
    // An operation that fills its empty balance would cost more.
    expect(await pays()).toBe(true);
  });
  afterAll(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
  undoEachTest(chain);

  it('a paymaster that loses: the pauser stops, the owner withdraws and resumes', async () => {
    const [pause, withdraw, resume, fill, ...others] = commandsOf('A paymaster that loses');
    expect(others).toEqual([]);
    await run(pause!);
    expect(await refused()).toEqual(paused);
    await run(withdraw!);
    expect((await depositOf(paymaster)).deposit).toBe(0n);

    const byPauser = resume!.replace('--unsigned "$SAFE"', '--keystore pauser.json');
    await expect(run(byPauser)).rejects.toThrow(
      'setOperationCeiling would revert: OwnableUnauthorizedAccount.',
    );
    await run(resume!);
    await run(fill!);
    expect(await termsOf(chain, paymaster)).toMatchObject({
      operationCeiling: facts.paymaster.operationCeiling,
    });
    expect(await pays()).toBe(true);
  });

  it('a drained deposit: AA31, and anybody cures it', async () => {
    await run('paymaster withdrawDeposit "$SAFE" all --unsigned "$SAFE"');
    expect(await refused()).toEqual(['AA31 paymaster deposit too low']);
    const [fill] = commandsOf('A drained deposit');
    await run(fill!);
    expect(await pays()).toBe(true);
  });

  it('the price is old: anybody stores a new one, unless a feed is broken', async () => {
    const [refresh] = commandsOf('The price is old');
    await mineAt(chain, (await now(chain)) + BigInt(facts.paymaster.maxAgeSeconds) + 1n);
    expect(await refused()).toEqual(['AA32 paymaster expired or not due']);
    await run(refresh!);
    expect(await pays()).toBe(true);

    await chain.write(chain.feed, localPriceFeedAbi, 'setAnswer', [1n]);
    await expect(run(refresh!)).rejects.toThrow('PaymasterAnswerRejected');
  });

  it('another feed: the new paymaster serves the same wallet at once, and the old one is emptied', async () => {
    await chain.node.setCode({ address: feed, bytecode: localPriceFeedDeployedBytecode });
    await chain.write(feed, localPriceFeedAbi, 'setAnswer', [ethUsd / 2n]);
    const changed = {
      ...facts,
      wrappedNative: { ...facts.wrappedNative, price: { ...facts.wrappedNative.price, feed } },
    };
    const { address, salt, initCode } = paymasterDeployment(changed, roles);
    const data = concatHex([salt, initCode]);
    const value = parseEther('1');
    await chain.mined(chain.wallet.sendTransaction({ to: canonical.create2Deployer, data, value }));
    await updatePaymasterPrice(chain.wallet, chain.client, address);
    const args = [address] as const;
    const request = {
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'depositTo',
      args,
      value,
    } as const;
    await chain.mined(chain.wallet.writeContract(request));
    expect((await termsOf(chain, address)).usdcPerNative).toBe(1_250_000_000n);

    const code = await chain.client.getCode({ address: agent.address });
    expect(await pays(address)).toBe(true);
    expect(await pays()).toBe(true);
    expect(await chain.client.getCode({ address: agent.address })).toBe(code);

    const commands = commandsOf('Change the paymaster or a feed');
    expect(commands).toHaveLength(5);
    const { stake } = await depositOf(paymaster);
    const earned = await balanceOf(chain, chain.usdc, paymaster);
    expect(earned).toBeGreaterThan(0n);
    await run(commands[0]!);
    expect(await refused()).toEqual(paused);
    for (const command of commands.slice(1, 4)) await run(command);
    await expect(run(commands[4]!)).rejects.toThrow('withdrawStake would revert');
    await mineAt(chain, (await now(chain)) + day);
    const before = await chain.client.getBalance({ address: safe });
    await run(commands[4]!);
    expect(await balanceOf(chain, chain.usdc, safe)).toBe(earned);
    expect((await chain.client.getBalance({ address: safe })) - before).toBeGreaterThan(stake - 10n ** 16n);
    expect(await depositOf(paymaster)).toMatchObject({ deposit: 0n, stake: 0n });
  });

  it('the markup: a raise waits a day and does not lapse, lowering is immediate and cancels a raise', async () => {
    const [raise, apply] = commandsOf('Change the markup');
    const markup = async () => (await termsOf(chain, paymaster)).markupBps;
    await run(raise!);
    await expect(run(apply!)).rejects.toThrow('PaymasterMarkupNotReady');
    expect(await markup()).toBe(500);
    await mineAt(chain, (await now(chain)) + 400n * day);
    await run(apply!);
    expect(await markup()).toBe(700);
    await run(raise!.replace('700', '800'));
    await run(raise!.replace('700', '100'));
    expect(await markup()).toBe(100);
    await mineAt(chain, (await now(chain)) + 2n * day);
    await expect(run(apply!)).rejects.toThrow('PaymasterMarkupNotReady');
  });

  it('another owner and pauser: the new owner accepts, and the address stays', async () => {
    const [transfer, accept, replace] = commandsOf('Change the roles');
    await run(transfer!);
    await expect(run(replace!)).rejects.toThrow('OwnableUnauthorizedAccount');
    await run(accept!);
    await run(replace!);
    await expect(run(transfer!)).rejects.toThrow('OwnableUnauthorizedAccount');
    await expect(run('paymaster pause --keystore pauser.json')).rejects.toThrow(
      'PaymasterPauserUnauthorized',
    );
    expect(await chain.read(paymaster, usdcPaymasterAbi, 'pauser')).toBe(newPauser);
    expect(await pays()).toBe(true);
  });

  it('a lost owner: price and deposit stay in the hands of others, and another paymaster serves the same wallet', async () => {
    await deploy(otherSafe, pauser);
    const other = contractAddresses(8453, { owner: otherSafe, pauser }).paymaster;
    expect(await pays(other)).toBe(true);
    expect(await chain.read(other, usdcPaymasterAbi, 'owner')).toBe(otherSafe);
    await run('paymaster pause --keystore pauser.json');
    expect(await refused()).toEqual(paused);
  });

  it('a stolen owner: a pause does not hold, and everything can be withdrawn at once', async () => {
    const [tokens, deposit] = commandsOf('A lost or stolen key');
    const earned = await balanceOf(chain, chain.usdc, paymaster);
    await run('paymaster pause --keystore pauser.json');
    await run('paymaster setOperationCeiling 1 --unsigned "$SAFE"');
    expect((await termsOf(chain, paymaster)).operationCeiling).toBe(1n);
    await run(tokens!);
    await run(deposit!);
    expect(await balanceOf(chain, chain.usdc, otherSafe)).toBe(earned);
    expect((await depositOf(paymaster)).deposit).toBe(0n);
  });

  it('a stolen pauser: the owner replaces it and resumes', async () => {
    const [, , replace, resume, ...others] = commandsOf('A lost or stolen key');
    expect(others).toEqual([]);
    await run('paymaster pause --keystore pauser.json');
    await run(replace!);
    await run(resume!);
    await expect(run('paymaster pause --keystore pauser.json')).rejects.toThrow(
      'PaymasterPauserUnauthorized',
    );
    expect(await pays()).toBe(true);
  });
});
