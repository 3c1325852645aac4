import type { DiscoverResponse } from '@yield-vault/protocol';
import { buildVaultCandidate } from '../../../test/support/build-responses.js';
import { toJson } from './to-json.js';

const response: DiscoverResponse = {
  chain: 'base',
  chainId: 8453,
  strategy: 'balanced',
  count: 1,
  vaults: [buildVaultCandidate({ name: '"quoted" \\ name, Zürich \u2028 金庫' })],
};

describe('toJson', () => {
  it('default: the bytes of JSON.stringify, made once', () => {
    expect(toJson(response).toString()).toBe(JSON.stringify(response));
    expect(toJson(response)).toBe(toJson(response));
    expect(toJson({ ...response, count: 2 }).toString()).toContain('"count":2');
  });
});
