import { postgresUrl } from './scalars.js';

describe('postgresUrl', () => {
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
  ])('default: %s is what node-postgres takes', (text) => {
    expect(postgresUrl.parse(text)).toBe(text);
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
    expect(postgresUrl.safeParse(text).success).toBe(false);
  });
});
