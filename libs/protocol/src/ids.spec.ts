import { AbiCoder, getBytes, keccak256, solidityPacked, toUtf8Bytes } from 'ethers';
import { setupTicketId, vaultIdOf } from './ids.js';
import type { SetupTicket } from './wire/setup.js';

const ticket: SetupTicket = {
  version: 1,
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: 8453,
  implementation: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  initCalldataHash: `0x${'ab'.repeat(32)}`,
  setupType: 'full',
  expiresAt: '2026-11-20T12:00:00.000Z',
};

describe('setupTicketId', () => {
  it('vector: written out by hand', () => {
    const json =
      '{"chainId":8453,"expiresAt":"2026-11-20T12:00:00.000Z",' +
      '"implementation":"0x0578cFB241215b77442a541325d6A4E6dFE700Ec",' +
      `"initCalldataHash":"0x${'ab'.repeat(32)}","setupType":"full","version":1,` +
      '"walletAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}';
    expect(setupTicketId(ticket)).toBe(keccak256(toUtf8Bytes(json)));
    expect(setupTicketId(ticket)).toBe('0x7b87c8229c11061b25e754b6ae2768ab8c0f1f03336cf077521d36cfb2d8c9cc');
  });

  it('behavior: case of addresses and precision of the time do not matter', () => {
    const again = {
      ...ticket,
      walletAddress: ticket.walletAddress.toLowerCase() as typeof ticket.walletAddress,
      expiresAt: '2026-11-20T12:00:00Z',
    };
    expect(setupTicketId(again)).toBe(setupTicketId(ticket));
  });

  it('behavior: every field counts', () => {
    const changes: Partial<SetupTicket>[] = [
      { chainId: 1 },
      { implementation: ticket.walletAddress },
      { walletAddress: ticket.implementation },
      { initCalldataHash: `0x${'cd'.repeat(32)}` },
      { setupType: 'modules' },
      { expiresAt: '2026-11-20T12:00:00.001Z' },
    ];
    const ids = changes.map((change) => setupTicketId({ ...ticket, ...change }));
    expect(new Set([setupTicketId(ticket), ...ids]).size).toBe(changes.length + 1);
  });
});

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
