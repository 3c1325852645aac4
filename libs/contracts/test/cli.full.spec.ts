import { numberToHex } from 'viem';
import { createProgram } from '../src/cli/create-program.js';
import { chainFacts } from '../src/chains/chains.js';
import { localPriceFeedAbi } from './generated/LocalPriceFeed.js';
import { ethUsd, operator, operatorKey, useTestChain } from './support/chain.js';

const safe = numberToHex(0x5afe, { size: 20 });

async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv = { PRIVATE_KEY: operatorKey }) {
  const [printed, notes]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void printed.push(text),
    note: (text: string) => void notes.push(text),
  };
  await createProgram(io, env).parseAsync(args, { from: 'user' });
  const result: Record<string, unknown> = { ...(JSON.parse(printed.join('')) as object), notes };
  return result;
}

describe('yield-vault-contracts', () => {
  const chain = useTestChain();
  const run = (...args: readonly string[]) => runProgram([...args, '--rpc', chain.client.transport.url!]);
  const ours = ['--owner', operator.address] as const;

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

  it('error: neither an owner nor a key', async () => {
    await expect(run('inspect')).rejects.toThrow('Give --owner');
    const url = chain.client.transport.url!;
    await expect(runProgram(['deploy', ...ours, '--rpc', url], {})).rejects.toThrow('Set PRIVATE_KEY');
  });
});
