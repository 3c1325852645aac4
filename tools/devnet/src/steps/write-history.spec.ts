import { historyStart } from './write-history.js';

describe('historyStart', () => {
  it('default: a full hour, whole days before the current one', () => {
    expect(historyStart(1_700_003_599, 36)).toBe(1_700_002_800 - 36 * 86_400);
    expect(historyStart(1_700_002_800, 1)).toBe(1_700_002_800 - 86_400);
  });
});
