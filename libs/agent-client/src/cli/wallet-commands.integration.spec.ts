import { canonical, suite } from '@yield-vault/contracts';
import { startFakeRpc, testAccount, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { zeroAddress } from 'viem';
import { approveOne, initCalldata, startSuiteChain, type SuiteChain } from '../../test/start-suite-chain.js';
import { createProgram } from './create-program.js';
import { runProgram } from './run-program.js';

const usdc = canonical.usdc[8453];
let chain: SuiteChain;

beforeAll(async () => {
  chain = await startSuiteChain();
}, 60_000);
afterAll(() => chain.stop());

/** Run the program. @returns its exit code and what it wrote */
async function run(...args: readonly string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const io = {
    out: (line: string) => void out.push(line),
    note: (line: string) => void notes.push(line),
    input: () => Promise.resolve(''),
  };
  const code = await runProgram(createProgram(io), args);
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}
const atNode = () => ['--rpc', chain.rpcUrl, '--local'];

describe('yield-vault-agent describe', () => {
  it('default: a wallet that is set up', async () => {
    await chain.send('described', { delegate: suite.account, data: initCalldata });
    const wallet = await chain.fund('described');
    const { code, out } = await run('describe', wallet.toLowerCase(), ...atNode());
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      `${wallet} on chain 8453`,
      `  delegated to our account ${suite.account}, set up`,
      `  validator module ${suite.validator}`,
      `  executor module ${suite.executor}`,
      `  paymaster (own) ${suite.paymaster} may take 20 USDC`,
      '  holds 1 ETH and 0 USDC',
      '  sent 2 transactions',
    ]);
  });

  it('behavior: modules that stayed behind, and a delegation to nowhere', async () => {
    await chain.send('stranded', { delegate: suite.account, data: initCalldata });
    await chain.send('stranded', { delegate: '0x00000000000000000000000000000000000000fe' });
    const { out } = await run('describe', testAccount('stranded').address, ...atNode());
    expect(out).toContain('which has NO CODE');
    expect(out).toContain(`validator module ${suite.validator}, counts only with a delegation`);
  });

  it('behavior: JSON', async () => {
    const { out } = await run('describe', testAccount('nobody').address, ...atNode(), '--json');
    expect(JSON.parse(out)).toMatchObject({ delegation: { kind: 'none' }, usdcBaseUnits: '0' });
  });

  it('error: a node that does not answer, without its URL', async () => {
    const url = 'http://127.0.0.1:1/secret-key';
    const { code, notes } = await run('describe', suite.account, '--rpc', url, '--local');
    expect(code).toBe(2);
    expect(notes).toBe('error: The node gave no usable answer: HTTP request failed.');
  });

  it.each([
    ['no address', ['describe', '0x12', '--rpc', 'http://127.0.0.1:1']],
    ['no URL', ['describe', suite.account, '--rpc', 'nonsense']],
    ['no node', ['unsetup', suite.account]],
  ])('error: %s', async (_, args) => {
    expect((await run(...args)).code).toBe(2);
  });
});

describe('yield-vault-agent unsetup', () => {
  it('default: prints what ethers signs as it stands', async () => {
    await chain.send('leaving', { delegate: suite.account, data: initCalldata });
    const wallet = await chain.fund('leaving');
    const { code, out, notes } = await run('unsetup', wallet, ...atNode());
    expect(code).toBe(0);
    expect(notes).toContain('Transaction 2 of 2 (type 4');
    expect(notes).toContain('Send each once the one before is in a block.');

    const { transactions } = JSON.parse(out) as { transactions: readonly PrintedTransaction[] };
    const signer = new Wallet(testKey('leaving'));
    for (const { type, gas, authorization, ...fields } of transactions) {
      const signed = await signer.signTransaction({
        ...fields,
        gasLimit: gas,
        type: type === 'eip7702' ? 4 : 2,
        ...(authorization ? { authorizationList: [await signer.authorize(authorization)] } : {}),
      });
      expect(await chain.sendRaw([signed as `0x${string}`])).toEqual(['success']);
    }
    expect((await run('describe', wallet, ...atNode())).out).toContain('not delegated');
  });

  it('behavior: nothing to take back, and what stays', async () => {
    const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
    await chain.send('kept', { to: usdc, data: approveOne(permit2), delegate: canonical.multicall3 });
    const { out, notes } = await run('unsetup', testAccount('kept').address, ...atNode());
    expect(JSON.parse(out)).toMatchObject({ transactions: [], maxCostWei: '0' });
    expect(notes).toContain('Nothing to take back.');
    expect(notes).toContain(`Stays: the delegation to ${canonical.multicall3}`);

    const revoking = await run('unsetup', testAccount('kept').address, ...atNode(), '--revoke-foreign');
    expect(JSON.parse(revoking.out)).toMatchObject({
      transactions: [{ type: 'eip7702', authorization: { address: zeroAddress } }],
    });
  });

  it('error: a chain that the book does not know', async () => {
    const elsewhere = await startFakeRpc({ eth_chainId: () => '0x7a69' });
    const { code, notes } = await run('unsetup', suite.account, '--rpc', elsewhere.rpcUrl, '--local');
    await elsewhere.stop();
    expect(code).toBe(2);
    expect(notes).toContain('31337');
  });

  it('error: a contract', async () => {
    const { code, notes } = await run('unsetup', suite.account, ...atNode());
    expect(code).toBe(2);
    expect(notes).toBe('error: wallet: is a contract; an externally owned account is needed.');
  });
});

interface PrintedTransaction {
  readonly type: string;
  readonly gas: string;
  readonly authorization: {
    readonly address: string;
    readonly chainId: number;
    readonly nonce: number;
  } | null;
}
