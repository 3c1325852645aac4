import { getAbiItem } from 'viem';
import { entryPointV07Abi } from './generated/EntryPointV07.js';
import { entryPointV08Abi } from './generated/EntryPointV08.js';

// Everybody reads both versions with the ABI of v0.8: that holds only as long as nothing of it differs.
describe('the ABIs of both entry points', () => {
  it.each([
    ...(['handleOps', 'getNonce', 'getDepositInfo', 'balanceOf', 'depositTo', 'addStake'] as const),
    ...(['getUserOpHash', 'UserOperationEvent', 'UserOperationRevertReason', 'PostOpRevertReason'] as const),
    ...(['UserOperationPrefundTooLow', 'BeforeExecution', 'FailedOp', 'FailedOpWithRevert'] as const),
    'PostOpReverted' as const,
  ])('behavior: %s is the same', (name) => {
    const item = getAbiItem({ abi: entryPointV08Abi, name });
    expect(item).toBeDefined();
    expect(getAbiItem({ abi: entryPointV07Abi, name })).toEqual(item);
  });
});
