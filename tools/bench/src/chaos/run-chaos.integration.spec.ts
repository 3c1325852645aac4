import { isUnharmed, reportChaos } from './report-chaos.js';
import { runChaos } from './run-chaos.js';

const rounds = 2;

describe('runChaos', () => {
  it('default: only right results and retryable errors, and nothing is left behind', async () => {
    const tallies = await runChaos(rounds);
    expect(tallies.map(({ untyped, wrong, leaked }) => ({ untyped, wrong, leaked }))).toEqual(
      tallies.map(() => ({ untyped: 0, wrong: 0, leaked: 0 })),
    );
    const of = (scenario: string) => tallies.find((tally) => tally.scenario === scenario);
    // A host that is killed costs no simulation its result.
    expect(of('SIGKILL of Anvil mid-simulation')).toMatchObject({ right: 4 * rounds, retryable: 0 });
    // Those of a fault fail, and the one after it does not.
    expect(of('upstream answers garbage')).toMatchObject({ right: rounds, retryable: 4 * rounds });
    // One runs and one waits.
    expect(of('queue full')).toMatchObject({ right: 2 * rounds, retryable: 2 * rounds });
    expect(isUnharmed(tallies)).toBe(true);
    expect(reportChaos(tallies)).toContain('met');
  });
});

describe('isUnharmed', () => {
  const tally = { scenario: 's', rounds: 1, right: 1, retryable: 1, untyped: 0, wrong: 0, leaked: 0 };

  it.each([{ untyped: 1 }, { wrong: 1 }, { leaked: 1 }, { right: 0 }])('behavior: %p is harm', (harm) => {
    expect(isUnharmed([tally, { ...tally, ...harm }])).toBe(false);
  });
});
