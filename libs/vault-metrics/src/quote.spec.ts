import { expectClose } from '../test/expect-close.js';
import vectors from '../test/vectors/metrics-vectors.json' with { type: 'json' };
import { apyOfGrowth, breakEvenDays, dilutedApy, netApy } from './quote.js';

const { stays, diluted, growth } = vectors.quote;

describe('vectors of quotes', () => {
  it.each(stays.map((vector) => [vector.name, vector] as const))('behavior: %s', (_, vector) => {
    const { amountUsd, apy, gasUsd, kept, apyBefore = 0 } = vector.input;
    expectClose(netApy(vector.input), vector.netApy);
    const costUsd = (amountUsd + gasUsd) / kept - amountUsd;
    expectClose(breakEvenDays(costUsd, { assetsUsd: amountUsd, apy, apyBefore }), vector.breakEvenDays);
  });

  it.each(diluted)(
    'behavior: $month % shared by $amountUsd USD more',
    ({ month, tvlUsd, amountUsd, apy }) => {
      expectClose(dilutedApy(month, tvlUsd, amountUsd), apy);
    },
  );

  it.each(growth)('behavior: a share price of $before becomes $after', ({ before, after, seconds, apy }) => {
    expectClose(apyOfGrowth(BigInt(before), BigInt(after), seconds), apy);
  });
});
