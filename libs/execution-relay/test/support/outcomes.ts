import { TransactionPendingError, type ExecuteRequest } from '@yield-vault/protocol';

export const idOf = (request: ExecuteRequest) => request.intentEnvelope.merkleRoot;
export const nonceOf = (request: ExecuteRequest) =>
  BigInt(request.intentEnvelope.userOps[0]?.userOperation.nonce ?? 0);

/** Return the error of a call that fails. */
export const caught = (call: Promise<unknown>) => call.catch((error: unknown) => error);

export const expectError = async (call: Promise<unknown>, fields: object) =>
  expect(await caught(call)).toMatchObject(fields);

export async function expectErrorOf(
  type: abstract new (...args: never[]) => Error,
  call: Promise<unknown>,
  fields: object = {},
): Promise<void> {
  const error = await caught(call);
  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject(fields);
}

export const expectPending = (call: Promise<unknown>) => expectErrorOf(TransactionPendingError, call);

/** Check how many operations the bundler was sent. */
export const expectSent = ({ sent }: { readonly sent: readonly unknown[] }, count: number) =>
  expect(sent).toHaveLength(count);
