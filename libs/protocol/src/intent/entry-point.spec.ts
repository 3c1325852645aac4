import { entryPoints, entryPointVersionOf } from './entry-point.js';

describe('entryPointVersionOf', () => {
  it('default: by the address, whatever its case', () => {
    expect(entryPointVersionOf(entryPoints['0.7'])).toBe('0.7');
    expect(entryPointVersionOf(entryPoints['0.8'].toLowerCase() as `0x${string}`)).toBe('0.8');
  });

  it('behavior: another address has none', () => {
    expect(entryPointVersionOf('0x433709009B8330FDa32311DF1C2AFA402eD8D009')).toBeUndefined();
  });
});
