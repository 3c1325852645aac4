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

  it.each(['postgres://user:hunter2@/yield?host=/run', 'socket://user:hunter2@/run?db=yield'])(
    'behavior: the password of a database without host, %s',
    (url) => {
      expect(secretsOf([url])).toEqual(expect.arrayContaining(['user:hunter2', 'hunter2']));
    },
  );

  it('behavior: a plain address is no secret', () => {
    expect(
      secretsOf(['http://127.0.0.1:8545', 'http://127.0.0.1:8545/rpc', null, undefined, '', 'nonsense']),
    ).toEqual([]);
  });
});
