import { numberToHex, parseGwei, type Hex } from 'viem';
import { vault } from '../../test/support/book.js';
import { buildPrepared, deposit, soon, wallet } from '../../test/support/build-prepared.js';
import { buildSetupResponse } from '../../test/support/build-setup.js';
import { useOwnNode } from '../../test/support/own-node.js';
import type { GasLimits } from '../verify/gas-limits.js';
import { verifySetupWithNode, verifyWithNode } from './verify-with-node.js';

const requested = { operation: 'deposit', vault, asset: 'USDC', amount: '25' } as const;

describe('a node of one’s own', () => {
  // The wallet removed both default modules.
  const own = useOwnNode({
    eth_getStorageAt: ([, slot]) => numberToHex(BigInt(slot as Hex) % 32n === 5n ? 6 : 0, { size: 32 }),
  });

  const options = () => ({ wallet, ...own.agentOf({}) });
  const envelope = () => buildPrepared({ expiry: soon() });

  it('default: verifyWithNode takes the minimum from the node', async () => {
    const { summary, signing } = await verifyWithNode(options(), requested, envelope());
    expect(summary.join('\n')).toContain('for at least 24.87 shares');
    expect(signing.primaryType).toBe('Intent');
  });

  it('behavior: fees and the price of ether are those of the node, unless the caller gives others', async () => {
    const verify = (limits: Partial<GasLimits> = {}) =>
      verifyWithNode({ ...options(), ...limits }, requested, envelope());
    // A tenth above the price of 2,500.
    expect((await verify()).effects[0]).toMatchObject({ maxEthUsd: 2_750 });
    own.gasPrice = parseGwei('0.25') / 3n;
    await expect(verify()).rejects.toMatchObject({ field: 'userOps.0.userOperation.maxFeePerGas' });
    const given = { maxFeePerGas: parseGwei('0.25'), maxEthUsd: 4_000 };
    expect((await verify(given)).effects[0]).toMatchObject({ maxEthUsd: 4_000 });
  });

  it('error: MINIMUM_TOO_HIGH', async () => {
    const hooks = [{ ...deposit, minShares: own.quote + 1n }];
    const unreachable = buildPrepared({ hooks, expiry: soon() });
    await expect(verifyWithNode(options(), requested, unreachable)).rejects.toMatchObject({
      reason: 'MINIMUM_TOO_HIGH',
    });
  });

  it('error: CHAIN_MISMATCH for a node of another chain', async () => {
    own.chainId = 1;
    const mismatch = { code: 'CHAIN_MISMATCH' };
    await expect(verifyWithNode(options(), requested, envelope())).rejects.toMatchObject(mismatch);
    await expect(verifySetupWithNode(options(), {})).rejects.toMatchObject(mismatch);
  });

  it('error: verifySetupWithNode refuses a setup that does not restore removed modules', async () => {
    const ticket = { expiresAt: new Date(soon() * 1_000).toISOString() };
    await expect(verifySetupWithNode(options(), buildSetupResponse({ ticket }))).rejects.toMatchObject({
      reason: 'CALLDATA_NOT_ALLOWED',
    });
  });

  it('error: verifySetupWithNode refuses a response without a setup', async () => {
    await expect(verifySetupWithNode(options(), {})).rejects.toMatchObject({ reason: 'MALFORMED' });
  });
});
