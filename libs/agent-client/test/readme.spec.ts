import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseExpectations, parseGaslessSetupExpectations, parseSetupExpectations } from '../src/index.js';

it('the expectations of the README can be read', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const [ofIntent, ofSetup, ofGaslessSetup, ...others] = [...readme.matchAll(/```json\n([^`]+)```/g)].map(
    ([, text]) => JSON.parse(text!) as unknown,
  );
  expect(parseExpectations(ofIntent)).toMatchObject({ operation: { amount: 25_000_000n } });
  expect(parseSetupExpectations(ofSetup)).toMatchObject({ walletCode: '0x' });
  expect(parseGaslessSetupExpectations(ofGaslessSetup)).toMatchObject({ permitNonce: 0n });
  expect(others).toEqual([]);
});
