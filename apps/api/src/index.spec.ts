import * as api from './index.js';

describe('index', () => {
  it('behavior: exports exactly these names', () => {
    expect(Object.keys(api).sort()).toEqual(['Limit', 'createApp']);
  });
});
