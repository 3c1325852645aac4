import { canonical, walletContracts } from '@yield-vault/contracts';
import { testAccount, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { zeroAddress } from 'viem';
import {
  initCalldataOf,
  installModule,
  startContractsChain,
  type ContractsChain,
} from '../../test/start-contracts-chain.js';
import { runCli } from '../../test/support/run-cli.js';

let chain: ContractsChain;

beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

const revoke = (wallet: string, ...more: string[]) =>
  runCli(['revoke-delegation', wallet, '--rpc', chain.rpcUrl, '--local', ...more]);

describe('revoke-delegation', () => {
  it('default: prints a transaction that ethers signs unchanged', async () => {
    await chain.send('leaving', { delegate: walletContracts.account, data: initCalldataOf('leaving') });
    const further = await installModule(chain, 'leaving', 'executor');
    const wallet = await chain.fund('leaving');
    const { code, out, notes } = await revoke(wallet.toLowerCase());
    expect(code).toBe(0);
    expect(notes).toContain(`${wallet} on chain 8453: delegated to our account ${walletContracts.account}`);
    expect(notes).toContain(`Remains: the executor module ${further}`);

    const { transaction } = JSON.parse(out) as { transaction: PrintedTransaction };
    const { type, gas, authorization, ...fields } = transaction;
    const signer = new Wallet(testKey('leaving'));
    const signed = await signer.signTransaction({
      ...fields,
      gasLimit: gas,
      type: type === 'eip7702' ? 4 : 2,
      authorizationList: [await signer.authorize(authorization)],
    });
    expect(await chain.sendRaw([signed as `0x${string}`])).toEqual(['success']);
    expect((await revoke(wallet)).notes).toContain('not delegated\nNothing to revoke.');
  });

  it('behavior: an unknown delegation only with --revoke-unknown', async () => {
    await chain.send('kept', { to: zeroAddress, delegate: canonical.multicall3 });
    const wallet = testAccount('kept').address;
    const refused = await revoke(wallet);
    expect([refused.code, refused.notes]).toEqual([2, expect.stringContaining(canonical.multicall3)]);
    expect(JSON.parse((await revoke(wallet, '--revoke-unknown')).out)).toMatchObject({
      transaction: { type: 'eip7702', authorization: { address: zeroAddress } },
    });
  });

  it('error: a contract', async () => {
    const { code, notes } = await revoke(walletContracts.account);
    expect(code).toBe(2);
    expect(notes).toContain('wallet is a contract; give an externally owned account.');
  });

  it('error: a node that does not respond, without its URL', async () => {
    const url = 'http://127.0.0.1:1/secret-key';
    const { code, notes } = await revoke(walletContracts.account, '--rpc', url);
    expect(code).toBe(4);
    expect(notes).toContain('The node failed: HTTP request failed.');
    expect(notes).not.toContain('secret-key');
  });

  it.each([
    ['no address', ['revoke-delegation', '0x12', '--rpc', 'http://127.0.0.1:1']],
    ['no URL', ['revoke-delegation', walletContracts.account, '--rpc', 'nonsense']],
    ['no node', ['revoke-delegation', walletContracts.account]],
  ])('error: %s', async (_, args) => {
    expect((await runCli(args)).code).toBe(2);
  });
});

interface PrintedTransaction {
  readonly type: string;
  readonly gas: string;
  readonly authorization: { readonly address: string; readonly chainId: number; readonly nonce: number };
}
