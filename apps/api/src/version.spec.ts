import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { apiVersion } from './version.js';

describe('apiVersion', () => {
  it('default: the version of the package', () => {
    const text = readFileSync(resolve(__dirname, '../package.json'), 'utf8');
    expect(apiVersion).toBe((JSON.parse(text) as { version: string }).version);
  });
});
