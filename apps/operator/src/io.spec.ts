import { InvalidArgumentError } from 'commander';
import { parseAddress, parseRpc } from './io.js';

describe('parseRpc', () => {
  it('default: collects one URL for each chain', () => {
    const base = parseRpc('base=http://127.0.0.1:8545/?key=a=b');
    expect(parseRpc('ethereum=https://eth.example', base)).toEqual({
      base: 'http://127.0.0.1:8545/?key=a=b',
      ethereum: 'https://eth.example',
    });
  });

  it.each(['http://127.0.0.1:8545', 'base=', 'base=ws://127.0.0.1', '=http://127.0.0.1', 'base=nonsense'])(
    'error: InvalidArgumentError for %s',
    (text) => {
      expect(() => parseRpc(text)).toThrow(InvalidArgumentError);
    },
  );

  it('error: InvalidArgumentError for a chain that has one already', () => {
    expect(() => parseRpc('base=http://b', { base: 'http://a' })).toThrow(InvalidArgumentError);
  });
});

describe('parseAddress', () => {
  it('default: any case in, the checksum out', () => {
    expect(parseAddress('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')).toBe(
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    );
  });
});
