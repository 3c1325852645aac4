import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Read a response of an external service, of its documented shape. */
export function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(join(__dirname, 'fixtures', name), 'utf8'));
}
