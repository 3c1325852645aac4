import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import * as ethers from 'ethers';
import { keccak256, numberToHex, recoverAddress, size, slice, type Hex } from 'viem';
import { hashAuthorization } from 'viem/utils';
import file from './vectors/envelopes.json' with { type: 'json' };
import signatures from './vectors/signatures.json' with { type: 'json' };

const page = readFileSync(join(__dirname, '../../../docs/bytes.md'), 'utf8');
const row = /^\| (\d+) +\| (\d+) +\| (.+?) +\| `([0-9a-f]+)` +\|$/gm;

/** The examples of the table below a heading, joined; the offsets and lengths that it names must be theirs. */
function bytesOf(heading: string): Hex {
  const [section = ''] = page.split(`\n## ${heading}\n`)[1]!.split('\n## ');
  const rows = [...section.matchAll(row)];
  return rows.reduce<Hex>((bytes, [, offset, length, , example]) => {
    expect([Number(offset), Number(length)]).toEqual([size(bytes), example!.length / 2]);
    return `${bytes}${example!}`;
  }, '0x');
}

describe('docs/bytes.md', () => {
  const { envelope, userOpHash, leaf, digest, signature } = file.vectors.find(
    ({ name }) => name === 'deposit',
  )!;
  const { callData, nonce, paymasterAndData } = envelope.userOps[0]!.userOperation;
  const { expiry, validAfter } = envelope;

  it('behavior: has the bytes of the deposit of the vectors', () => {
    expect(bytesOf('Call data')).toBe(callData);
    expect(bytesOf('Nonce')).toBe(numberToHex(BigInt(nonce)));
    expect(bytesOf('Paymaster data')).toBe(paymasterAndData);
    const packed = { expiry, validAfter, signature: signature as Hex, proof: [] };
    expect(bytesOf('Signature')).toBe(encodeIntentSignature(packed));
  });

  // Equal hashes prove equal bytes.
  it('behavior: has the bytes of every hash of the vectors', () => {
    const hashed = bytesOf('User operation hash');
    expect(slice(hashed, 34)).toBe(keccak256(bytesOf('User operation')));
    expect(keccak256(hashed)).toBe(userOpHash);
    expect(keccak256(keccak256(bytesOf('Leaf and root')))).toBe(leaf);
    expect(keccak256(bytesOf('Digest'))).toBe(digest);
  });

  it('behavior: has the bytes of the authorization of the vectors', async () => {
    const { r, s, yParity } = signatures.gasless.authorization;
    const signed = { r: r as Hex, s: s as Hex, yParity };
    const hash = keccak256(bytesOf('Authorization'));
    const [, address = '', nonce] = /`94([0-9a-f]{40})`[^]+?`(07)`/.exec(page.split('## Authorization')[1]!)!;
    const authorization = { chainId: 8453, address: `0x${address}` as const, nonce: Number(nonce) };
    expect([hashAuthorization(authorization), ethers.hashAuthorization(authorization)]).toEqual([hash, hash]);
    expect(page).toContain(hash);
    const signer = recoverAddress({ hash, signature: signed });
    await expect(signer).resolves.toBe(testAccount('agent').address);
  });
});
