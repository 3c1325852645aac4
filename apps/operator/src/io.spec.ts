import { InvalidArgumentError } from 'commander';
import { parseList, parseRpc } from './io.js';

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

describe('parseList', () => {
  it('default: an address is a list of its own; lists add up', () => {
    const address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
    const file = parseList(`file=${__filename}`);
    expect(parseList(`own=${address}`, file)).toEqual([
      { name: 'file', text: expect.stringContaining(address) },
      { name: 'own', text: address },
    ]);
  });

  it.each(['0x12', 'own=0x12', '=a', 'own='])('error: InvalidArgumentError for %s', (text) => {
    expect(() => parseList(text)).toThrow(InvalidArgumentError);
  });
});
