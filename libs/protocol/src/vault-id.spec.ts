import { AbiCoder, getBytes, keccak256, solidityPacked } from 'ethers';
import { vaultIdOf } from './vault-id.js';

describe('vaultIdOf', () => {
  it('vector: a vault on each chain', () => {
    expect(vaultIdOf(1, '0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD')).toBe('485115467812763402');
    expect(vaultIdOf(8453, '0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD')).toBe('9988423132999363547');
  });

  it('behavior: ethers computes the same', () => {
    const address = '0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD';
    const packed = solidityPacked(['uint256', 'address'], [8453n, address]);
    const digest = getBytes(keccak256(packed)).slice(0, 8);
    const [id] = AbiCoder.defaultAbiCoder().decode(
      ['uint64'],
      new Uint8Array([...new Uint8Array(24), ...digest]),
    ) as unknown as [bigint];
    expect(vaultIdOf(8453, address)).toBe(id.toString());
  });

  it('behavior: the case of the address does not matter', () => {
    expect(vaultIdOf(1, '0xa3931d71877c0e7a3148cb7eb4463524fec27fbd')).toBe(
      vaultIdOf(1, '0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD'),
    );
  });
});
