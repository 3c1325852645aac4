import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { delegationCode } from '@yield-vault/smart-account';
import { addressBook, local, vault } from '../../test/support/book.js';
import { buildGaslessExpectations, buildGaslessResponse } from '../../test/support/build-gasless-setup.js';
import { buildPrepared, deposit, soon, wallet } from '../../test/support/build-prepared.js';
import { buildSetupResponse } from '../../test/support/build-setup.js';
import { runCli } from '../../test/support/run-cli.js';
import { toJson } from './io.js';

describe('verify', () => {
  let directory: string;
  beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'agent-client-'))));
  afterAll(() => rm(directory, { recursive: true }));

  const write = async (name: string, content: unknown): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, typeof content === 'string' ? content : toJson(content));
    return path;
  };
  const run = (args: readonly string[], input = '') => runCli(['verify', ...args], input);
  const verify = async (document: unknown, expected: unknown, more = ['--local']) =>
    run(['-', ...more, '--expect', await write('expect.json', expected)], toJson(document));
  const envelope = buildPrepared({ expiry: soon() });
  const expectations = {
    wallet,
    chain: 'base',
    operation: { kind: 'deposit', vault, amount: deposit.amount, minShares: deposit.minShares },
    maxGasUsdc: '2000000',
  };

  it.each([
    ['the response of prepare', { needsSetup: false, execution: { intentEnvelope: envelope } }],
    ['what goes to execute', { intentEnvelope: envelope, intentSignature: '0x12' }],
    ['the envelope alone', envelope],
  ])('behavior: takes %s', async (_, document) => {
    const { code, out, notes } = await verify(document, expectations);
    expect([code, notes]).toEqual([0, '']);
    expect(out).toMatch(/^OK\n[^]+25 USDC[^]+signs 0x[0-9a-f]{64}/);
  });

  it.each([
    ['0x', 0, /^OK\n {2}delegate your wallet to/, /^$/],
    [undefined, 0, /^OK\n/, /walletCode/],
    [delegationCode(vault), 1, /^$/, /^error: DELEGATION_MISMATCH: /],
  ])('behavior: a setup of a wallet with the code %s', async (walletCode, expected, said, noted) => {
    const expiresAt = new Date(soon() * 1_000).toISOString();
    const document = buildSetupResponse({ ticket: { expiresAt } });
    const { code, out, notes } = await verify(document, { wallet, chain: 'base', walletCode });
    expect(code).toBe(expected);
    expect(out).toMatch(said);
    expect(notes).toMatch(noted);
  });

  it.each([0, 7])('behavior: a gasless setup of a wallet with the nonce %i', async (nonce) => {
    const { permitNonce: _, ...expected } = buildGaslessExpectations({ authorizationNonce: nonce });
    const { code, out, notes } = await verify(buildGaslessResponse({ authorization: { nonce } }), expected);
    expect([code, notes]).toEqual([0, '']);
    expect(out).toMatch(/^OK\n {2}delegate your wallet to[^]+anybody who has the authorization/);
  });

  it('default: exit code 1 with the reason when it differs from the expectations', async () => {
    const other = { ...expectations, operation: { ...expectations.operation, amount: '24000000' } };
    const { code, out, notes } = await verify(envelope, other);
    expect([code, out]).toEqual([1, '']);
    expect(notes).toMatch(/^error: AMOUNT_MISMATCH: /);
  });

  it('behavior: trusts a local deployment only with the option', async () => {
    const { code, out, notes } = await verify(envelope, expectations, []);
    expect([code, out]).toEqual([1, '']);
    expect(notes).toMatch(/PAYMASTER_MISMATCH[^]+Sign nothing\. Only for your own local.+ --local/);
  });

  it('behavior: trusts the additions of a book', async () => {
    const book = await write('book.json', { deployments: [local], tokens: addressBook.tokens });
    const { code } = await verify(envelope, expectations, ['--book', book]);
    expect(code).toBe(0);
  });

  it('behavior: JSON', async () => {
    const { out } = await verify(envelope, expectations, ['--local', '--json']);
    expect(JSON.parse(out)).toMatchObject({ ok: true, merkleRoot: envelope.merkleRoot, nonceSequence: '7' });
  });

  // Nothing says what the caller wanted.
  it.each([
    ['an envelope', envelope],
    ['a setup', buildSetupResponse()],
  ])('error: exit code 2 for %s without a request or expectations', async (_, document) => {
    const { code, out, notes } = await run(['-', '--local'], toJson(document));
    expect([code, out]).toEqual([2, '']);
    expect(notes).toMatch(/--expect <file> and the request, e.g. deposit/);
  });

  it.each([
    ['no such file', ['nowhere.json', '--expect', '/dev/null'], ''],
    ['no JSON', ['-', '--expect', '/dev/null'], 'nonsense'],
    ['expectations that say nothing', ['-', '--expect', '/dev/null'], '{}'],
    ['no argument', [], ''],
  ])('error: exit code 2 for %s', async (_, args, input) => {
    const { code, out, notes } = await run(args, input);
    expect([code, out]).toEqual([2, '']);
    expect(notes).not.toBe('');
  });
});
