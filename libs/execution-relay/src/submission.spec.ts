import { BundlerRejection } from '@yield-vault/chains';
import { aaCodes, eip7702Marker, type UserOperation } from '@yield-vault/protocol';
import { bundlerProfiles } from '@yield-vault/testing';
import { encodeErrorResult, parseAbi } from 'viem';
import { explainRejection } from './submission.js';

const explain = (
  refusal: ConstructorParameters<typeof BundlerRejection>[0],
  operation: Pick<UserOperation, 'factory'> = {},
) => explainRejection(new BundlerRejection(refusal), operation);

describe('explainRejection', () => {
  it.each(Object.entries(aaCodes))(
    'default: %s decides who can cure it',
    (aaCode, { curable, nextAction }) => {
      const error = explain({ bundlerCode: -32500, message: `${aaCode} refused` });
      expect(error).toMatchObject({
        code: 'TRANSACTION_SUBMISSION_FAILED',
        details: { aaCode, bundlerCode: -32500 },
        nextAction,
        retryable: !curable,
      });
    },
  );

  it.each([
    [-32602, true],
    [-32500, true],
    [-32501, true],
    [-32503, true],
    [-32507, true],
    [-32521, true],
    [-32502, false],
    [-32504, false],
    [-32505, false],
    [-32506, false],
    [-32508, false],
  ])('behavior: without an EntryPoint code, %i decides', (bundlerCode, curable) => {
    const error = explain({ bundlerCode, message: 'no' });
    expect(error.retryable).toBe(!curable);
    expect(error.retryAfterSeconds).toBe(curable ? undefined : 10);
    expect(error.details).toEqual({ bundlerCode });
  });

  it('behavior: a reverting postOp is AA50, and a revert carries its reason', () => {
    const reverted = explain({ bundlerCode: -32500, message: 'PostOpReverted(0x)' });
    expect(reverted.details.aaCode).toBe('AA50');
    const abi = parseAbi(['error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)']);
    const args = ['0x0000000000000000000000000000000000000001', 1n, 2n] as const;
    const revertData = encodeErrorResult({ abi, args });
    const error = explain({ bundlerCode: -32521, message: 'reverted', revertData });
    expect(error.details).toEqual({ bundlerCode: -32521, revertReason: 'INSUFFICIENT_BALANCE' });
  });

  it.each(
    Object.values(bundlerProfiles).flatMap(({ bareMarker, staleAuthorization }) =>
      [bareMarker, staleAuthorization].filter((refusal) => refusal !== undefined),
    ),
  )('behavior: prepare again at once after $message', ({ message }) => {
    const refusal = { bundlerCode: -32602, message };
    expect(explain(refusal, { factory: eip7702Marker })).toMatchObject({
      retryable: false,
      nextAction: expect.stringMatching(/^Call prepare again at once/) as string,
    });
    expect(explain(refusal).nextAction).not.toContain('at once');
  });
});
