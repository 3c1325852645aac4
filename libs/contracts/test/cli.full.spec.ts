import { numberToHex } from 'viem';
import { createProgram } from '../src/cli/create-program.js';
import { canonical } from '../src/address-book.js';
import { localPriceFeedAbi } from './generated/LocalPriceFeed.js';
import { ethUsd, operatorKey, useTestChain } from './support/chain.js';

describe('yield-vault-contracts', () => {
  const chain = useTestChain();

  async function run(...args: readonly string[]) {
    const printed: string[] = [];
    const io = { out: (text: string) => void printed.push(text), note: () => undefined };
    const env = { PRIVATE_KEY: operatorKey };
    const rpc = ['--rpc', chain.client.transport.url!];
    await createProgram(io, env).parseAsync([...args, ...rpc], { from: 'user' });
    return JSON.parse(printed.join('')) as Record<string, unknown>;
  }

  it('inspect: contracts, deposit, stake and price', async () => {
    const { contracts, paymaster } = (await run('inspect')) as {
      contracts: readonly { readonly status: string }[];
      paymaster: Record<string, unknown>;
    };
    expect(contracts.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(paymaster).toMatchObject({ usdcPerEth: '2500000000', unstakeDelaySec: 86_400, markupBps: 500 });
  });

  it('deploy: a second run changes nothing', async () => {
    const again = await run('deploy', '--deposit', '100', '--stake', '1');
    expect(again).toMatchObject({
      paymasterDeposit: 'unchanged',
      paymasterStake: 'unchanged',
      priceTxHash: null,
    });
    const contracts = again['contracts'] as readonly { readonly status: string }[];
    expect(contracts.every(({ status }) => status === 'present')).toBe(true);
  });

  it('deploy: another paymaster moves executor and account, and needs neither funds nor a price', async () => {
    const other = await run('deploy', '--paymaster', numberToHex(0xca, { size: 20 }));
    const contracts = other['contracts'] as readonly { readonly contract: string; readonly status: string }[];
    expect(contracts.filter(({ status }) => status === 'deployed').map(({ contract }) => contract)).toEqual([
      'executor',
      'account',
    ]);
    expect(other['priceTxHash']).toBeNull();
  });

  it('refresh-price: stores the price of the feeds; a broken feed is an error that names the reason', async () => {
    await chain.write(chain.feed, localPriceFeedAbi, 'setAnswer', [2n * ethUsd]);
    expect(await run('refresh-price')).toEqual({
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    });
    expect(await run('inspect')).toMatchObject({ paymaster: { usdcPerEth: '5000000000' } });

    const { sequencerFeed } = canonical;
    await chain.write(sequencerFeed[8453], localPriceFeedAbi, 'setRound', [1n, 1n]);
    await expect(run('refresh-price')).rejects.toThrow('PaymasterSequencerDown');
  });

  it('error: neither an owner nor a key', async () => {
    const silent = { out: () => undefined, note: () => undefined };
    const program = () => createProgram(silent, {});
    await expect(
      program().parseAsync(['inspect', '--rpc', 'http://127.0.0.1:1'], { from: 'user' }),
    ).rejects.toThrow('Give --owner');
  });
});
