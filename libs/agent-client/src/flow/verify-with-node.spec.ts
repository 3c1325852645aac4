import { entryPointV08Abi } from '@yield-vault/contracts';
import { delegationCode, nonceKey } from '@yield-vault/smart-account';
import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { encodeAbiParameters, numberToHex, toFunctionSelector } from 'viem';
import { local, vault } from '../../test/support/book.js';
import { buildPrepared, deposit } from '../../test/support/build-prepared.js';
import { localAddressBook } from '../verify/address-book.js';
import { verifySetupWithNode, verifyWithNode } from './verify-with-node.js';

const wallet = testAccount('owner').address;
const requested = { operation: 'deposit', vault, asset: 'USDC', amount: '25' } as const;
const getNonce = toFunctionSelector(
  entryPointV08Abi.find((item) => 'name' in item && item.name === 'getNonce')!,
);
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value]);

describe('a node of one’s own', () => {
  let rpc: FakeRpc;
  let quote: bigint;
  let chainId: number;

  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_chainId: () => numberToHex(chainId),
      eth_getCode: () => delegationCode(local.account),
      eth_call: ([call]) => {
        const { data } = call as { data: string };
        if (data.startsWith(toFunctionSelector('decimals()'))) return word(18n);
        return word(data.startsWith(getNonce) ? (nonceKey(local.validator) << 64n) | 7n : quote);
      },
    });
  });
  afterAll(() => rpc.stop());
  beforeEach(() => void ([quote, chainId] = [deposit.minShares, local.chainId]));

  const options = () => ({ wallet, chain: 'base', rpcUrl: rpc.rpcUrl, addressBook: localAddressBook });
  const envelope = () => buildPrepared({ expiry: Math.floor(Date.now() / 1_000) + 600 });

  it('default: verifyWithNode takes the minimum from the node', async () => {
    const { summary, signing } = await verifyWithNode(options(), requested, envelope());
    expect(summary.join('\n')).toContain('for at least 24.87 shares');
    expect(signing.primaryType).toBe('Intent');
  });

  it('error: MINIMUM_TOO_LOW', async () => {
    quote = deposit.minShares * 2n;
    const refused = verifyWithNode(options(), requested, envelope());
    await expect(refused).rejects.toMatchObject({ reason: 'MINIMUM_TOO_LOW' });
  });

  it('error: CHAIN_MISMATCH for a node of another chain', async () => {
    chainId = 1;
    const mismatch = { code: 'CHAIN_MISMATCH' };
    await expect(verifyWithNode(options(), requested, envelope())).rejects.toMatchObject(mismatch);
    await expect(verifySetupWithNode(options(), {})).rejects.toMatchObject(mismatch);
  });

  it('error: verifySetupWithNode refuses a response without a setup', async () => {
    await expect(verifySetupWithNode(options(), {})).rejects.toMatchObject({ reason: 'MALFORMED' });
  });
});
