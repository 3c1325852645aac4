import {
  ApiError,
  IntentFailedError,
  IntentPendingError,
  NodeFailedError,
  ServiceUnreachableError,
  VerificationError,
  type ExecuteRequest,
} from '@yield-vault/agent-client';
import { zeroAddress } from 'viem';
import { errorOf as readError } from '../test/connect.js';
import { failed, succeeded, ToolError } from './tool-result.js';

const errorOf = (error: unknown) => readError(failed(error));

it('default: text and data, which is limited', () => {
  expect(succeeded({ text: 'Done.', data: { name: 'x'.repeat(65) } })).toEqual({
    content: [{ type: 'text', text: 'Done.' }],
    structuredContent: { name: `${'x'.repeat(63)}…` },
  });
});

it('error: of the service, with code, detail, nextAction and details', () => {
  const parts = {
    detail: 'No vault fits.',
    nextAction: 'Loosen minApy.',
    details: { reason: 'NO_CANDIDATE' },
  };
  const error = new ApiError({
    status: 400,
    error: 'No suitable vaults found',
    code: 'NO_SUITABLE_VAULTS',
    ...parts,
  });
  const { isError, content } = failed(error);
  expect([isError, content[0]]).toEqual([
    true,
    { type: 'text', text: 'NO_SUITABLE_VAULTS: No vault fits.\nLoosen minApy.' },
  ]);
  expect(errorOf(error)).toMatchObject({
    code: 'NO_SUITABLE_VAULTS',
    details: { reason: 'NO_CANDIDATE', status: 400 },
  });
});

it('error: of a service that charges, with its price', () => {
  const accepts = [
    {
      ...{ maxAmountRequired: '10000', asset: zeroAddress, payTo: zeroAddress, network: 'base' },
      ...{ scheme: 'exact', maxTimeoutSeconds: 60, extra: {}, outputSchema: {} },
      ...{ resource: '/', description: '', mimeType: '' },
    },
  ];
  const error = { status: 402, error: 'Payment required', code: 'PAYMENT_REQUIRED', details: { accepts } };
  expect(errorOf(new ApiError(error))).toMatchObject({
    code: 'PAYMENT_REQUIRED',
    detail: expect.stringContaining('0.01 USDC') as string,
    nextAction: expect.stringContaining('PAYER_KEY and MAX_PRICE') as string,
  });
});

it.each(['UNKNOWN_VAULT', 'NOT_FOUND'])('error: %s names the vault of the call, not its id', (code) => {
  const error = new ApiError({ status: 404, error: 'Not found', code, detail: 'No vault 906.' });
  const { content } = failed(error, { chain: 'base', vault: '0xab' });
  expect(content[0]).toMatchObject({ text: expect.stringContaining('no vault 0xab on base') as string });
});

it('error: a refused document', () => {
  const error = new VerificationError({ ok: false, reason: 'VAULT_MISMATCH', field: 'f', detail: 'd' });
  expect(errorOf(error)).toMatchObject({ code: 'VAULT_MISMATCH', detail: 'f: d', details: { field: 'f' } });
});

it('error: a pending intent, with the id to check', () => {
  const request = { intentEnvelope: { merkleRoot: '0x5c' } } as unknown as ExecuteRequest;
  expect(errorOf(new IntentPendingError(request, 7, undefined))).toMatchObject({
    code: 'TRANSACTION_PENDING',
    nextAction: expect.stringContaining('intent_status') as string,
    details: { intentId: '0x5c', expiry: 7 },
  });
});

it.each([
  ['NONCE_USED', new IntentFailedError('NONCE_USED', '0x12', undefined)],
  ['NODE_FAILED', new NodeFailedError('timed out', undefined)],
  ['SERVICE_UNREACHABLE', new ServiceUnreachableError('timed out')],
  ['BUSY', new ToolError('BUSY', 'Another operation is running.', 'Call again later.')],
])('error: %s', (code, error) => {
  expect(errorOf(error)).toMatchObject({ code, nextAction: expect.stringMatching(/\.$/) as string });
});

it('error: an unknown one goes to the log alone', () => {
  const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const error = new Error('http://user:secret@node');
  expect(errorOf(error)).toMatchObject({ code: 'INTERNAL', detail: 'The MCP server failed.' });
  expect(log).toHaveBeenCalledWith(error);
  log.mockRestore();
});
