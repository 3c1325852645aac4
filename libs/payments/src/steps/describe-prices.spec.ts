import { buildResource } from '../../test/support/build-resource.js';
import { describePrices } from './describe-prices.js';
import { toRequirements } from './to-requirements.js';

describe('describePrices', () => {
  it('default: what costs how much, and where', () => {
    const resource = buildResource();
    expect(describePrices([resource])).toEqual({
      version: 1,
      x402Version: 2,
      resources: ['POST /v1/yield/prepare'],
      items: [
        {
          resource: 'https://api.example.com/v1/yield/prepare',
          type: 'http',
          method: 'POST',
          description: 'Prepare a yield operation',
          accepts: resource.terms.map(toRequirements),
        },
      ],
    });
  });
});
