import { readable } from './readable.js';

describe('readable', () => {
  it('default: gives ordinary text back, of any script', () => {
    expect(readable('deposit paused: USD₮0 🚫')).toBe('deposit paused: USD₮0 🚫');
  });

  it('behavior: characters that end a line or cannot be stored are replaced', () => {
    expect(readable('a\u0000b\nc\u009fd')).toBe('a\uFFFDb\uFFFDc\uFFFDd');
  });

  it('behavior: cut, and never within a character that can be stored', () => {
    expect(readable('x'.repeat(500))).toHaveLength(200);
    expect(readable(`${'x'.repeat(199)}🚫`)).toBe(`${'x'.repeat(199)}\uFFFD`);
  });
});
