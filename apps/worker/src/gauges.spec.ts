import type { ActiveChain } from '@yield-vault/chains';
import type { IntentCount } from '@yield-vault/execution-relay';
import { Registry } from 'prom-client';
import { createFundsGauges, createLedgerGauges } from './gauges.js';
import { metricPrefix } from './metric-prefix.js';

const render = async (registry: Registry) =>
  (await registry.metrics())
    .replaceAll(metricPrefix, 'x_')
    .split('\n')
    .filter((line) => line.startsWith('x_'));

const { signal } = new AbortController();

describe('createLedgerGauges', () => {
  it('default: every open state, the age of the oldest open intent, and payments in flight', async () => {
    const counts: IntentCount[] = [
      { state: 'reserved', count: 2, oldestSeconds: 30, overdue: 1 },
      { state: 'submitted', count: 1, oldestSeconds: 90, overdue: 1 },
    ];
    const payments = { reserved: 0, settling: 3, lapsed: 1 };
    const registry = new Registry();
    const { job } = createLedgerGauges(
      () => Promise.resolve(counts),
      () => Promise.resolve(payments),
      registry,
    );
    await job.run(signal);
    expect(await render(registry)).toEqual([
      'x_intents{state="reserved"} 2',
      'x_intents{state="simulated"} 0',
      'x_intents{state="submitted"} 1',
      'x_intents{state="included"} 0',
      'x_oldest_open_intent_seconds 90',
      'x_overdue_intents 2',
      'x_payments_in_flight{state="reserved"} 0',
      'x_payments_in_flight{state="settling"} 3',
      'x_payments_in_flight{state="lapsed"} 1',
    ]);
  });

  it('error: a ledger that does not respond hides the states', async () => {
    const registry = new Registry();
    let isDown = false;
    const count = () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve([]));
    const { job } = createLedgerGauges(count, undefined, registry);
    await job.run(signal);
    isDown = true;
    await expect(job.run(signal)).rejects.toThrow('down');
    expect((await render(registry)).filter((line) => line.startsWith('x_intents{'))).toEqual([]);
  });
});

describe('createFundsGauges', () => {
  it('default: deposit, stake and USDC of our paymaster, and the age of its price', async () => {
    const now = Math.floor(Date.now() / 1000);
    const never = 2 ** 47 - 1;
    const chain = (key: string, validUntil: number, refreshAt: number, ceiling = 10_000_000n) => {
      const info = { deposit: 2n * 10n ** 18n, stake: 10n ** 18n, staked: true };
      const reads = [info, [2_500_000_000n, validUntil, refreshAt, 500, ceiling], 3_000_000n];
      const rpc = { multicall: () => Promise.resolve(reads) };
      return { key, rpc, contracts: {}, paymaster: { kind: 'own' } } as unknown as ActiveChain;
    };
    const all = [
      chain('half', now + 900, now + 720),
      chain('old', now - 60, now - 240),
      chain('fork', never, never),
      chain('none', 0, 0),
      chain('paused', never, never, 0n),
      chain('drained', never, never, 10_000_000_000n),
    ];
    const registry = new Registry();
    const stored: (string | null)[] = [];
    const store = (_: number, fault: string | null) => Promise.resolve(stored.push(fault));
    const { job } = createFundsGauges({ all }, {}, store, 25_000_000n, registry);
    await job.run(signal);
    expect(stored).toEqual([null, null, null, null, 'paymaster', 'deposit']);
    const lines = await render(registry);
    expect(lines).toContain('x_funds_ether{chain="half",account="paymasterDeposit"} 2');
    expect(lines).toContain('x_paymaster_account{chain="half",entry="usdc"} 3');
    expect(lines).toContain('x_paymaster_account{chain="half",entry="operationEther"} 0.004');
    expect(lines).toContain('x_paymaster_account{chain="half",entry="refreshEther"} 0.01');
    const ageOf = (key: string) =>
      Number(lines.find((line) => line.includes(`ratio{chain="${key}"}`))?.split(' ')[1]);
    expect(ageOf('half')).toBeCloseTo(0.5, 2);
    expect(ageOf('old')).toBeCloseTo(1.033, 2);
    expect(ageOf('fork')).toBe(0);
    expect(ageOf('none')).toBeGreaterThan(1);
  });
});
