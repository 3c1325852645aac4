import { chainFacts, walletContracts } from '@yield-vault/contracts';
import { InvalidParametersError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { zeroAddress, type Address } from 'viem';
import {
  approveOne,
  initCalldataOf,
  startContractsChain,
  type ContractsChain,
} from '../../test/start-contracts-chain.js';
import { addressBook, ofCircle, ofService } from '../../test/support/book.js';
import { describeDelegation } from './describe-delegation.js';
import {
  prepareRevocation,
  revokeDelegation,
  UnknownDelegationError,
  type RevokeOptions,
} from './revoke-delegation.js';
import { TransactionInFlightError } from './price-transaction.js';

const options = { addressBook };
const usdc = chainFacts(8453).usdc.address;
const unknown: Address = '0x00000000000000000000000000000000000000fe';
let chain: ContractsChain;

beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

const setUp = (name: string) =>
  chain.send(name, { delegate: walletContracts.account, data: initCalldataOf(name) });
const addressOf = (name: string) => testAccount(name).address;

/** Revoke, send the one transaction, and read the wallet again. */
async function revoke(name: string, more: RevokeOptions = options) {
  await chain.fund(name);
  const revocation = await revokeDelegation(chain.rpc, testAccount(name), more);
  if (revocation.signedRawTx) expect(await chain.sendRaw([revocation.signedRawTx])).toEqual(['success']);
  return { ...revocation, after: await describeDelegation(chain.rpc, addressOf(name), more) };
}

describe('revokeDelegation', () => {
  it('default: one type-4 transaction clears delegation and allowance', async () => {
    await setUp('leaving');
    const { transaction, summary, remains, missingWei, after } = await revoke('leaving');
    expect(transaction).toMatchObject({ type: 'eip7702', to: usdc, authorization: { address: zeroAddress } });
    expect(summary).toHaveLength(2);
    expect(missingWei).toBe(0n);
    expect(after).toMatchObject({ delegation: { kind: 'none' }, allowances: [] });
    expect(remains).toEqual([]);
    // The storage counts again after the next setup.
    await setUp('leaving');
    expect(await describeDelegation(chain.rpc, addressOf('leaving'), options)).toMatchObject({
      delegation: { kind: 'ours' },
      allowances: [{ amount: 20_000_000n }],
    });
  });

  it('behavior: a delegation without an allowance', async () => {
    await chain.send('bare', { delegate: walletContracts.account });
    const { transaction, remains, after } = await revoke('bare');
    expect(transaction).toMatchObject({ to: addressOf('bare'), data: '0x', type: 'eip7702' });
    expect([after.delegation, remains]).toEqual([{ kind: 'none' }, []]);
  });

  it('behavior: an allowance without a delegation is a type-2 transaction', async () => {
    await chain.send('allowing', { to: usdc, data: approveOne(ofCircle.paymaster.address) });
    const { transaction, after } = await revoke('allowing');
    expect(transaction).toMatchObject({ type: 'eip1559', authorization: null });
    expect(after.allowances).toEqual([]);
  });

  it('behavior: nothing to revoke', async () => {
    const { transaction, signedRawTx, maxCostWei } = await revoke('plain');
    expect([transaction, signedRawTx, maxCostWei]).toEqual([null, null, 0n]);
  });

  it('behavior: the allowance of a second paymaster remains, and is reported', async () => {
    const second = ofService.paymaster.address;
    await setUp('two');
    await chain.send('two', { to: usdc, data: approveOne(second) });
    const { remains, after } = await revoke('two');
    expect(remains.at(-1)).toBe(`the allowance of 1 USDC for ${second}`);
    expect(after.allowances).toEqual([{ spender: second, amount: 1_000_000n }]);
  });

  it('behavior: says how much ether the wallet lacks', async () => {
    await setUp('poor');
    await chain.setBalance(addressOf('poor'), 1n);
    const { maxCostWei, missingWei } = await prepareRevocation(chain.rpc, addressOf('poor'), options);
    expect(missingWei).toBe(maxCostWei - 1n);
  });

  it('error: UnknownDelegationError unless revokeUnknown is set', async () => {
    await setUp('elsewhere');
    await chain.send('elsewhere', { delegate: unknown });
    const failed = revoke('elsewhere');
    await expect(failed).rejects.toThrow(UnknownDelegationError);
    await expect(failed).rejects.toMatchObject({ code: 'UNKNOWN_DELEGATION', implementation: unknown });
    const { after } = await revoke('elsewhere', { ...options, revokeUnknown: true });
    expect(after).toMatchObject({ delegation: { kind: 'none' }, allowances: [] });
  });

  it('behavior: the delegation is cleared even when the token refuses', async () => {
    await setUp('frozen');
    const code = await chain.rpc.getCode({ address: usdc });
    const frozen = await prepareRevocation(
      {
        ...chain.rpc,
        estimateGas: async (request) => {
          await chain.setCode(usdc, '0x5f5ffd');
          return chain.rpc.estimateGas(request).finally(() => chain.setCode(usdc, code!));
        },
      },
      addressOf('frozen'),
      options,
    );
    expect(frozen.transaction).toMatchObject({ to: addressOf('frozen'), data: '0x' });
    expect(frozen.remains.at(-1)).toContain(`20 USDC for ${ofCircle.paymaster.address}`);
  });

  it('error: InvalidParametersError for a contract', async () => {
    await expect(prepareRevocation(chain.rpc, usdc, options)).rejects.toThrow(InvalidParametersError);
  });

  it('error: TransactionInFlightError', async () => {
    await setUp('in flight');
    const mine = await chain.stopMining();
    await chain.submit('in flight', {});
    const prepared = prepareRevocation(chain.rpc, addressOf('in flight'), options);
    await expect(prepared).rejects.toThrow(TransactionInFlightError);
    await mine();
  });
});
