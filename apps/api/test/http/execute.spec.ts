import { buildEnvelope, buildExecute } from '../support/build-requests.js';
import { expectViolations } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const path = '/v1/yield/execute';
const root = `0x${'ab'.repeat(32)}`;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const send = (at: readonly (string | number)[], value?: unknown) =>
  server.post(path, buildExecute({ intentEnvelope: buildEnvelope(at, value) }));

const userOp = ['userOps', 0] as const;
const operation = ['userOps', 0, 'userOperation'] as const;
const at = (prefix: readonly (string | number)[], ...rest: (string | number)[]) => [...prefix, ...rest];

describe('POST /v1/yield/execute', () => {
  it('default: passes the envelope on as prepared', async () => {
    const body = buildExecute();
    expect((await server.post(path, body)).statusCode).toBe(200);
    expect(JSON.parse(JSON.stringify(server.calls.execute.at(-1)))).toEqual(body);
  });

  it.each([
    ['without intentId', ['intentId'], undefined],
    ['without entryPoint', ['entryPoint'], undefined],
    ['without sender', ['sender'], undefined],
    ['without signing', ['signing'], undefined],
    ['with destinationExecutions of any shape', ['destinationExecutions'], [1, null, { a: [] }, [[]]]],
    ['with a proof', ['proofs'], [[root, root]]],
    ['with no proofs', ['proofs'], []],
    ['with eip7702AuthRequest null', ['eip7702AuthRequest'], null],
    ['with eip7702AuthRequest of any shape', ['eip7702AuthRequest'], { a: [1, { b: null }] }],
    ['with eip7702Auth of any shape', at(userOp, 'eip7702Auth'), [{ deep: { deeper: 1 } }]],
    ['with eip7702Auth null', at(userOp, 'eip7702Auth'), null],
    ['with a validatorSig', at(userOp, 'validatorSig'), '0xab'],
    ['with the largest integer', ['expiry'], 9007199254740991],
    ['with expiry 0', ['expiry'], 0],
    ['with a nonce in hex', at(operation, 'nonce'), '0x1f'],
    ['without initCode', at(operation, 'initCode'), undefined],
    ['without gas fields', at(operation, 'callGasLimit'), undefined],
    ['with empty call data', at(operation, 'callData'), '0x'],
  ])('behavior: accepts an envelope %s', async (_name, place, value) => {
    expect((await send(place as string[], value)).statusCode).toBe(200);
  });

  it('behavior: fills in empty destinationExecutions and proofs', async () => {
    const { destinationExecutions: _d, proofs: _p, ...intentEnvelope } = buildEnvelope();
    expect((await server.post(path, buildExecute({ intentEnvelope }))).statusCode).toBe(200);
    expect(server.calls.execute.at(-1)?.intentEnvelope).toMatchObject({
      destinationExecutions: [],
      proofs: [],
    });
  });

  it('behavior: ignores further properties of userOps items and of userOperation only', async () => {
    expect((await send(at(userOp, 'vendorField'), { a: 1 })).statusCode).toBe(200);
    expect(server.calls.execute.at(-1)?.intentEnvelope.userOps[0]).not.toHaveProperty('vendorField');
    expect((await send(at(operation, 'factory'), '0x')).statusCode).toBe(200);
    expect(server.calls.execute.at(-1)?.intentEnvelope.userOps[0]?.userOperation).not.toHaveProperty(
      'factory',
    );
  });

  it('behavior: keeps the values of any-shaped properties', async () => {
    const shape = { list: [1, [2, { three: null }]], text: 'x', flag: false };
    await send(at(userOp, 'eip7702Auth'), shape);
    expect(server.calls.execute.at(-1)?.intentEnvelope.userOps[0]?.eip7702Auth).toEqual(shape);
  });

  it.each([
    ['the body without an envelope', { intentEnvelope: undefined }, ['intentEnvelope']],
    ['an envelope as a list', { intentEnvelope: [buildEnvelope()] }, ['intentEnvelope']],
    ['an envelope null', { intentEnvelope: null }, ['intentEnvelope']],
    ['an envelope as text', { intentEnvelope: '{}' }, ['intentEnvelope']],
    ['no signature', { intentSignature: undefined }, ['intentSignature']],
    ['a signature that is not hex', { intentSignature: '0xzz' }, ['intentSignature']],
    ['a signature without 0x', { intentSignature: 'ab' }, ['intentSignature']],
    ['intentId of a wrong type', { intentId: 1 }, ['intentId']],
    ['intentId null', { intentId: null }, ['intentId']],
    ['an unknown property', { simulate: true }, ['simulate']],
  ])('error: InvalidParametersError for %s', async (_name, overrides, fields) => {
    expectViolations(await server.post(path, buildExecute(overrides)), fields);
  });

  it.each([
    ['version as a number', ['version'], 1, 'version'],
    ['version 2', ['version'], '2', 'version'],
    ['no version', ['version'], undefined, 'version'],
    ['intentId null', ['intentId'], null, 'intentId'],
    ['chainId 0', ['chainId'], 0, 'chainId'],
    ['chainId as text', ['chainId'], '8453', 'chainId'],
    ['chainId above 2^53-1', ['chainId'], 9007199254740992, 'chainId'],
    ['a fractional chainId', ['chainId'], 1.5, 'chainId'],
    ['no chainId', ['chainId'], undefined, 'chainId'],
    ['a bad entryPoint', ['entryPoint'], '0x12', 'entryPoint'],
    ['entryPoint null', ['entryPoint'], null, 'entryPoint'],
    ['a bad sender', ['sender'], `0x${'1'.repeat(42)}`, 'sender'],
    ['no userOps', ['userOps'], undefined, 'userOps'],
    ['empty userOps', ['userOps'], [], 'userOps'],
    ['destinationExecutions as an object', ['destinationExecutions'], {}, 'destinationExecutions'],
    ['destinationExecutions null', ['destinationExecutions'], null, 'destinationExecutions'],
    ['a negative expiry', ['expiry'], -1, 'expiry'],
    ['expiry above 2^53-1', ['expiry'], 9007199254740992, 'expiry'],
    ['expiry as text', ['expiry'], '1', 'expiry'],
    ['no expiry', ['expiry'], undefined, 'expiry'],
    ['a negative validAfter', ['validAfter'], -1, 'validAfter'],
    ['validAfter null', ['validAfter'], null, 'validAfter'],
    ['no validAfter', ['validAfter'], undefined, 'validAfter'],
    ['a root of 33 bytes', ['merkleRoot'], `0x${'ab'.repeat(33)}`, 'merkleRoot'],
    ['a root of 31 bytes', ['merkleRoot'], `0x${'ab'.repeat(31)}`, 'merkleRoot'],
    ['no root', ['merkleRoot'], undefined, 'merkleRoot'],
    ['proofs as an object', ['proofs'], {}, 'proofs'],
    ['proofs null', ['proofs'], null, 'proofs'],
    ['a flat list of proofs', ['proofs'], [root], 'proofs'],
    ['a proof as an object', ['proofs'], [{ 0: root, length: 1 }], 'proofs'],
    ['a proof of 33 bytes', ['proofs'], [[`0x${'ab'.repeat(33)}`]], 'proofs'],
    ['a proof of a wrong type', ['proofs'], [[1]], 'proofs'],
    ['proofs three deep', ['proofs'], [[[root]]], 'proofs'],
    ['an unknown property', ['executions'], [], 'executions'],
    ['signing null', ['signing'], null, 'signing'],
    ['signing as a list', ['signing'], [], 'signing'],
    ['signing with an unknown property', ['signing', 'extra'], 1, 'signing.extra'],
    ['signing without a domain', ['signing', 'domain'], undefined, 'signing.domain'],
    ['signing without a primaryType', ['signing', 'primaryType'], undefined, 'signing.primaryType'],
    ['signing without types', ['signing', 'types'], undefined, 'signing.types'],
    ['signing without a message', ['signing', 'message'], undefined, 'signing.message'],
    ['another primaryType', ['signing', 'primaryType'], 'Mail', 'signing.primaryType'],
    ['a domain with an unknown property', ['signing', 'domain', 'salt'], '0x', 'signing.domain.salt'],
    ['a domain version as a number', ['signing', 'domain', 'version'], 1, 'signing.domain.version'],
    ['a domain without a name', ['signing', 'domain', 'name'], undefined, 'signing.domain.name'],
    ['a domain with chainId 0', ['signing', 'domain', 'chainId'], 0, 'signing.domain.chainId'],
    [
      'a domain of a bad contract',
      ['signing', 'domain', 'verifyingContract'],
      '0x',
      'signing.domain.verifyingContract',
    ],
    ['types with another type', ['signing', 'types', 'Mail'], [], 'signing.types.Mail'],
    ['types without Intent', ['signing', 'types', 'Intent'], undefined, 'signing.types.Intent'],
    ['a type as an object', ['signing', 'types', 'Intent'], {}, 'signing.types.Intent'],
    ['a type field as text', ['signing', 'types', 'Intent', 0], 'x', 'signing.types.Intent'],
    ['a type field as a list', ['signing', 'types', 'Intent', 0], [], 'signing.types.Intent'],
    [
      'a type field with an unknown property',
      ['signing', 'types', 'Intent', 0, 'x'],
      1,
      'signing.types.Intent[0].x',
    ],
    [
      'a type field without a type',
      ['signing', 'types', 'Intent', 1, 'type'],
      undefined,
      'signing.types.Intent[1].type',
    ],
    ['a message with an unknown property', ['signing', 'message', 'x'], 1, 'signing.message.x'],
    [
      'a message with a root of 33 bytes',
      ['signing', 'message', 'merkleRoot'],
      `0x${'ab'.repeat(33)}`,
      'signing.message.merkleRoot',
    ],
    ['a message with chainId 0', ['signing', 'message', 'chainId'], 0, 'signing.message.chainId'],
    ['a message with a negative expiry', ['signing', 'message', 'expiry'], -1, 'signing.message.expiry'],
    [
      'a message without validAfter',
      ['signing', 'message', 'validAfter'],
      undefined,
      'signing.message.validAfter',
    ],
    ['an item without a userOperation', at(userOp, 'userOperation'), undefined, 'userOps[0].userOperation'],
    ['a userOperation as a list', operation, [], 'userOps[0].userOperation'],
    ['a userOperation null', operation, null, 'userOps[0].userOperation'],
    ['a validatorSig that is not hex', at(userOp, 'validatorSig'), 'ab', 'userOps[0].validatorSig'],
    ['a validatorSig null', at(userOp, 'validatorSig'), null, 'userOps[0].validatorSig'],
    ['no sender', at(operation, 'sender'), undefined, 'userOps[0].userOperation.sender'],
    ['a short sender', at(operation, 'sender'), '0x12', 'userOps[0].userOperation.sender'],
    ['no nonce', at(operation, 'nonce'), undefined, 'userOps[0].userOperation.nonce'],
    ['an empty nonce', at(operation, 'nonce'), '', 'userOps[0].userOperation.nonce'],
    ['a nonce as a number', at(operation, 'nonce'), 1, 'userOps[0].userOperation.nonce'],
    ['a nonce that is no number', at(operation, 'nonce'), 'one', 'userOps[0].userOperation.nonce'],
    ['no callData', at(operation, 'callData'), undefined, 'userOps[0].userOperation.callData'],
    ['callData without 0x', at(operation, 'callData'), '', 'userOps[0].userOperation.callData'],
    ['no signature', at(operation, 'signature'), undefined, 'userOps[0].userOperation.signature'],
    ['initCode that is not hex', at(operation, 'initCode'), 'x', 'userOps[0].userOperation.initCode'],
    ['initCode null', at(operation, 'initCode'), null, 'userOps[0].userOperation.initCode'],
    ['callGasLimit as a number', at(operation, 'callGasLimit'), 1, 'userOps[0].userOperation.callGasLimit'],
    ['a negative maxFeePerGas', at(operation, 'maxFeePerGas'), '-1', 'userOps[0].userOperation.maxFeePerGas'],
    [
      'paymasterAndData null',
      at(operation, 'paymasterAndData'),
      null,
      'userOps[0].userOperation.paymasterAndData',
    ],
  ])('error: InvalidParametersError for an envelope with %s', async (_name, place, value, field) => {
    const before = server.calls.execute.length;
    expectViolations(await send(place as string[], value), [`intentEnvelope.${field}`]);
    expect(server.calls.execute).toHaveLength(before);
  });

  it.each([
    ['null', null],
    ['a number', 1],
    ['text', 'x'],
    ['a list', [{}]],
    ['an empty list', []],
  ])('error: InvalidParametersError for %s as an item of userOps', async (_name, item) => {
    const response = await send(['userOps'], [item]);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ code: string }>().code).toBe('INVALID_PARAMETERS');
  });

  it.each([[{}], ['x'], [1], [null], [{ length: 1, 0: {} }]])(
    'error: InvalidParametersError for %p as userOps',
    async (userOps) => {
      const response = await send(['userOps'], userOps);
      expect(response.statusCode).toBe(400);
      expect(response.json<{ code: string }>().code).toBe('INVALID_PARAMETERS');
    },
  );
});
