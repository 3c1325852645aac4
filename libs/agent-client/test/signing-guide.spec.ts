import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatGwei } from 'viem';
import {
  parseExpectations,
  parseGaslessSetupExpectations,
  parseSetupExpectations,
} from '../src/verify/expectations.js';
import { mergeGasLimits } from '../src/verify/gas-limits.js';
import file from './vectors/envelopes.json' with { type: 'json' };

const signing = readFileSync(join(__dirname, '../../../docs/signing.md'), 'utf8');

it('the expectations of docs/signing.md can be read', () => {
  const [ofIntent, ofSetup, ofGaslessSetup, ...others] = [...signing.matchAll(/```json\n([^`]+)```/g)].map(
    ([, text]) => JSON.parse(text!) as unknown,
  );
  expect(parseExpectations(ofIntent)).toMatchObject({ operation: { amount: 25_000_000n } });
  expect(parseSetupExpectations(ofSetup)).toMatchObject({ walletCode: '0x' });
  expect(parseGaslessSetupExpectations(ofGaslessSetup)).toMatchObject({ authorizationNonce: 0 });
  expect(others).toEqual([]);
});

it('docs/signing.md follows the deposit of the vectors from request to signature', () => {
  const { envelope, userOpHash, leaf, digest, signature } = file.vectors.find(
    ({ name }) => name === 'deposit',
  )!;
  expect(envelope.merkleRoot).toBe(leaf);
  const maximum = BigInt(`0x${envelope.userOps[0]!.userOperation.paymasterAndData.slice(-24)}`);
  const shortened = `${signature.slice(0, 10)}…${signature.slice(-10)}`;
  const { sender, expiry } = envelope;
  for (const value of [sender, `${expiry}`, `${maximum}`, userOpHash, leaf, digest, shortened])
    expect(signing).toContain(value);
});

it('docs/signing.md has the default limits of gas', () => {
  const lines = signing.split('\n');
  const number = (value: bigint | number) => value.toLocaleString('en');
  for (const [name, onBase] of Object.entries(mergeGasLimits({ chainId: 8453 }))) {
    const onEthereum = Object.entries(mergeGasLimits({ chainId: 1 })).find(([other]) => other === name)![1];
    const cells = [onBase, onEthereum].map((value) => {
      if (name === 'maxEthUsd') return `${number(value)} USD`;
      if (name === 'maxL1FeeWei') return value ? `10\\^${Math.log10(Number(value))} wei` : '0 wei';
      if (name === 'maxGasUsdc') return `${number(BigInt(value) / 1_000_000n)} USDC`;
      return /Fee/.test(name) ? `${number(Number(formatGwei(BigInt(value))))} gwei` : number(value);
    });
    const pattern = new RegExp(`\`${name}\`[^|]*\\| ${cells.join(' *\\| ')} *\\|`);
    expect(lines.filter((line) => pattern.test(line))).toHaveLength(1);
  }
});
