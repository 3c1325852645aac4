import { maskLine } from './mask-line.js';

describe('maskLine', () => {
  it('default: replaces every secret', () => {
    expect(maskLine(['/v2/key', 'hunter2'])('GET https://rpc/v2/key hunter2 hunter2')).toBe(
      'GET https://rpc[masked] [masked] [masked]',
    );
  });

  it('behavior: shortens signatures and signed transactions, keeps hashes and addresses', () => {
    const signature = `0x${'ab'.repeat(65)}`;
    const hash = `0x${'cd'.repeat(32)}`;
    const address = `0x${'12'.repeat(20)}`;
    const line = maskLine([])(`${signature} ${hash} ${address}`);
    expect(line).toBe(`0xabababab…[65 bytes] ${hash} ${address}`);
  });
});
