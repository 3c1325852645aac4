import { secretsOf } from './secrets-of.js';

describe('secretsOf', () => {
  it('default: passwords, and the paths where providers put keys', () => {
    expect(
      secretsOf([
        'https://rpc.example.org/v2/abcdef0123456789',
        'postgres://user:hunter2@db.example.org/yield',
        'https://bundler.example.org/?apikey=topsecret',
      ]),
    ).toEqual(['/v2/abcdef0123456789', '/?apikey=topsecret', 'user:hunter2', 'hunter2']);
  });

  it('behavior: a plain address is no secret', () => {
    expect(
      secretsOf(['http://127.0.0.1:8545', 'http://127.0.0.1:8545/rpc', null, undefined, '', 'nonsense']),
    ).toEqual([]);
  });
});
