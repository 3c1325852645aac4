import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { serviceVersion } from './version.js';

describe('serviceVersion', () => {
  it('default: the version of the package', () => {
    const text = readFileSync(resolve(__dirname, '../package.json'), 'utf8');
    expect(serviceVersion).toBe((JSON.parse(text) as { version: string }).version);
  });
});
