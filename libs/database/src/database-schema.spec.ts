import { databaseSchema } from './database-schema.js';

const limits = { maxConnections: 10, connectionTimeoutMs: 5_000, statementTimeoutMs: 30_000 };

describe('databaseSchema', () => {
  it('behavior: limits come from the file or, as text, from the environment', () => {
    const url = 'postgres://db.example';
    expect(databaseSchema.parse({ url, maxConnections: '3', statementTimeoutMs: 500 })).toEqual({
      ...{ url, ...limits },
      ...{ maxConnections: 3, statementTimeoutMs: 500 },
    });
    for (const maxConnections of ['0', '', '1.5', 'many'])
      expect(databaseSchema.safeParse({ url, maxConnections }).success).toBe(false);
  });

  it.each([
    'postgres://user:password@db.example:5432/yield',
    'postgresql://db.example',
    'POSTGRES://db.example/yield',
    'postgres:///yield?host=/var/run/postgresql',
    'postgres://user:password@/yield?host=/var/run/postgresql',
    'postgres://%2Fvar%2Frun%2Fpostgresql/yield',
    'socket:/var/run/postgresql?db=yield',
    'socket://user:password@/var/run/postgresql?db=yield',
    '/var/run/postgresql yield',
    '/var/run/postgresql',
  ])('default: node-postgres accepts %s', (text) => {
    expect(databaseSchema.parse({ url: text })).toEqual({ url: text, ...limits });
  });

  it.each([
    'db.example:5432/yield',
    'mysql://db.example/yield',
    'postgres:db.example/yield',
    'postgres://user:a#b@db.example/yield',
    'socket:?db=yield',
    '/var/run/postgresql yield more',
    '/',
  ])('error: %s is none', (text) => {
    expect(databaseSchema.safeParse({ url: text }).success).toBe(false);
  });
});
