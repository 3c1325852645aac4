import type { DiscoverResponse } from '@yield-vault/protocol';
import { buildVaultCandidate } from '../../../test/support/build-responses.js';
import { toJson } from './to-json.js';

const respond = (names: readonly string[]): DiscoverResponse => ({
  ...{ chain: 'base', chainId: 8453, strategy: 'balanced', count: names.length },
  vaults: names.map((name) => buildVaultCandidate({ name })),
});

describe('toJson', () => {
  it.each([[[]], [['one']], [['"quoted" \\ name', 'Zürich \u2028 金庫', 'one']]])(
    'default: the bytes of JSON.stringify for the vaults %j',
    (names) => {
      const response = respond(names);
      expect(toJson(response).toString()).toBe(JSON.stringify(response));
      expect(toJson(response).toString()).toBe(JSON.stringify(response));
    },
  );
});
