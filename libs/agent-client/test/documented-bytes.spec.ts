import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { concat, keccak256, numberToHex, recoverAddress, size, type Hex } from 'viem';
import file from './vectors/envelopes.json' with { type: 'json' };
import signatures from './vectors/signatures.json' with { type: 'json' };

const page = readFileSync(join(__dirname, '../../../docs/bytes.md'), 'utf8');
const row = /^\| (\d+) +\| (\d+) +\| (.+?) +\| `([0-9a-f]+)` +\|$/gm;

/** The examples of the table below a heading, joined; the offsets and lengths that it names must be theirs. */
function bytesOf(heading: string): Hex {
  const [section = ''] = page.split(`\n## ${heading}\n`)[1]!.split('\n## ');
  const rows = [...section.matchAll(row)];
  expect(rows).not.toHaveLength(0);
  return rows.reduce<Hex>((bytes, [, offset, length, , example]) => {
    expect([Number(offset), Number(length)]).toEqual([size(bytes), example!.length / 2]);
    return `${bytes}${example!}`;
  }, '0x');
}

describe('docs/bytes.md', () => {
  const { envelope, userOpHash, leaf, digest, signature } = file.vectors.find(
    ({ name }) => name === 'deposit',
  )!;
  const { callData, nonce, paymasterAndData, sender } = envelope.userOps[0]!.userOperation;
  const { expiry, validAfter } = envelope;

  it('behavior: has the bytes of the deposit of the vectors', () => {
    expect(bytesOf('Call data')).toBe(callData);
    expect(bytesOf('Nonce')).toBe(numberToHex(BigInt(nonce)));
    expect(bytesOf('Paymaster data')).toBe(paymasterAndData);
    const packed = { expiry, validAfter, signature: signature as Hex, proof: [] };
    expect(bytesOf('Signature')).toBe(encodeIntentSignature(packed));
  });

  it('behavior: each table hashes to what the next one has', async () => {
    const struct = bytesOf('User operation');
    const words = [sender, numberToHex(BigInt(nonce)), keccak256(callData as Hex)];
    for (const word of [...words, keccak256(paymasterAndData as Hex)])
      expect(struct).toContain(word.slice(2).toLowerCase());
    expect(bytesOf('User operation hash').slice(-64)).toBe(keccak256(struct).slice(2));
    expect(keccak256(bytesOf('User operation hash'))).toBe(userOpHash);
    expect(bytesOf('Leaf and root')).toContain(userOpHash.slice(2));
    expect(keccak256(keccak256(bytesOf('Leaf and root')))).toBe(leaf);
    expect(keccak256(bytesOf('Digest'))).toBe(digest);
    await expect(recoverAddress({ hash: digest as Hex, signature: signature as Hex })).resolves.toBe(sender);
  });

  it('behavior: has the bytes of the authorization of the vectors', async () => {
    const { r, s, yParity, address } = signatures.gasless.authorization;
    const authorization = bytesOf('Authorization');
    expect(authorization).toContain(address.slice(2).toLowerCase());
    const signed = concat([r as Hex, s as Hex, numberToHex(27 + yParity)]);
    const signer = recoverAddress({ hash: keccak256(authorization), signature: signed });
    await expect(signer).resolves.toBe(testAccount('agent').address);
  });
});
