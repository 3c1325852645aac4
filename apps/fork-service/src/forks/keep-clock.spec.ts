import type { Fork } from '@yield-vault/forks';
import { InvalidParametersError } from '@yield-vault/protocol';
import { keepClock } from './keep-clock.js';

const responses = { request: () => Promise.resolve('0x1') };
const fork = (kind: Fork['kind']) => ({ ...responses, kind, chain: 'base' }) as unknown as Fork;

describe('keepClock', () => {
  it('error: InvalidParametersError for calls that move the clock of a persistent fork', async () => {
    const kept = keepClock(fork('persistent'));
    const methods = [
      'evm_increaseTime',
      'evm_setNextBlockTimestamp',
      'anvil_setTime',
      'evm_revert',
      'anvil_reset',
    ];
    for (const travel of [
      ...methods.map((method) => kept.request(method, [])),
      kept.request('evm_mine', ['0x7fffffff']),
      kept.request('anvil_mine', ['0x2', '0xe10']),
      kept.request('hardhat_mine', [null, 1]),
      kept.request('anvil_loadState', ['0x']),
    ])
      await expect(travel).rejects.toBeInstanceOf(InvalidParametersError);
  });

  it('behavior: anything else is done', async () => {
    const kept = keepClock(fork('persistent'));
    expect(await kept.request('evm_mine', [])).toBe('0x1');
    expect(await kept.request('anvil_mine', ['0x2'])).toBe('0x1');
    // As viem writes it.
    expect(await kept.request('anvil_mine', ['0x2', '0x0'])).toBe('0x1');
  });

  it('behavior: an ephemeral fork is its owner\u2019s', async () => {
    expect(await keepClock(fork('ephemeral')).request('evm_increaseTime', [1])).toBe('0x1');
  });
});
