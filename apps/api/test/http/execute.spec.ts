import { buildEnvelope, buildExecute } from '../support/build-requests.js';
import { expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const path = '/v1/yield/execute';
const root = `0x${'ab'.repeat(32)}`;
const long = `0x${'ab'.repeat(33)}`;
const operation = 'userOps.0.userOperation';
const server = useServer();

const send = (place?: string, value?: unknown) =>
  server.post(path, buildExecute({ intentEnvelope: buildEnvelope(place, value) }));
const passedOn = () => server.calls.execute.at(-1)!.intentEnvelope;

describe('POST /v1/yield/execute', () => {
  it('default: passes the envelope on as prepared', async () => {
    const body = buildExecute();
    expectOk(await server.post(path, body));
    expect(JSON.parse(JSON.stringify(server.calls.execute.at(-1)))).toEqual(body);
    expect(server.calls.clients.at(-1)).toBe('127.0.0.1');
  });

  it.each([
    ['destinationExecutions', [1, null, { a: [] }, [[]]]],
    ['proofs', [[root, root]]],
    ['proofs', []],
    ['eip7702AuthRequest', null],
    ['eip7702AuthRequest', { a: [1, { b: null }] }],
    ['userOps.0.eip7702Auth', null],
    ['userOps.0.validatorSig', '0xab'],
    ['expiry', 9007199254740991],
    ['expiry', 0],
    [`${operation}.nonce`, '0x1f'],
    [`${operation}.callData`, '0x'],
  ])('behavior: accepts %s %j', async (place, value) => {
    expectOk(await send(place, value));
  });

  it('behavior: fills in empty destinationExecutions and proofs', async () => {
    const { destinationExecutions: _d, proofs: _p, ...intentEnvelope } = buildEnvelope();
    expectOk(await server.post(path, buildExecute({ intentEnvelope })));
    expect(passedOn()).toMatchObject({ destinationExecutions: [], proofs: [] });
  });

  it('behavior: ignores further properties of userOps items and of userOperation only', async () => {
    expectOk(await send('userOps.0.vendorField', { a: 1 }));
    expect(passedOn().userOps[0]).not.toHaveProperty('vendorField');
    expectOk(await send(`${operation}.factory`, '0x'));
    expect(passedOn().userOps[0]?.userOperation).not.toHaveProperty('factory');
  });

  it('behavior: keeps the values of any-shaped properties', async () => {
    const shape = { list: [1, [2, { three: null }]], text: 'x', flag: false };
    await send('userOps.0.eip7702Auth', shape);
    expect(passedOn().userOps[0]?.eip7702Auth).toEqual(shape);
  });

  it.each([
    ['intentEnvelope', [buildEnvelope()]],
    ['intentEnvelope', '{}'],
    ['intentSignature', '0xzz'],
    ['intentSignature', 'ab'],
    ['intentId', 1],
  ])('error: InvalidParametersError for the %s %j', async (field, value) => {
    expectViolations(await server.post(path, buildExecute({ [field]: value })), [field]);
  });

  it.each([
    ['version', 1],
    ['version', '2'],
    ['chainId', 0],
    ['chainId', '8453'],
    ['chainId', 9007199254740992],
    ['chainId', 1.5],
    ['entryPoint', '0x12'],
    ['sender', `0x${'1'.repeat(42)}`],
    ['userOps', []],
    ['userOps', {}],
    ['destinationExecutions', {}],
    ['expiry', -1],
    ['expiry', 9007199254740992],
    ['expiry', '1'],
    ['validAfter', -1],
    ['merkleRoot', long],
    ['merkleRoot', `0x${'ab'.repeat(31)}`],
    ['proofs', {}],
    ['proofs', [root]],
    ['proofs', [{ 0: root, length: 1 }]],
    ['proofs', [[long]]],
    ['proofs', [[1]]],
    ['proofs', [[[root]]]],
    ['signing', []],
    ['signing.primaryType', 'Mail'],
    ['signing.domain.version', 1],
    ['signing.domain.chainId', 0],
    ['signing.domain.verifyingContract', '0x'],
    ['signing.types.Intent', {}],
    ['signing.types.Intent', ['x']],
    ['signing.types.Intent', [[]]],
    ['signing.message.merkleRoot', long],
    ['signing.message.chainId', 0],
    ['signing.message.expiry', -1],
    [operation, []],
    ['userOps.0.validatorSig', 'ab'],
    ['userOps.0.validatorSig', null],
    [`${operation}.sender`, '0x12'],
    [`${operation}.nonce`, ''],
    [`${operation}.nonce`, 1],
    [`${operation}.nonce`, 'one'],
    [`${operation}.callData`, ''],
    [`${operation}.initCode`, 'x'],
    [`${operation}.callGasLimit`, 1],
    [`${operation}.maxFeePerGas`, '-1'],
  ])('error: InvalidParametersError for an envelope with %s %j', async (place, value) => {
    const before = server.calls.execute.length;
    expectViolations(await send(place, value), [`intentEnvelope.${place.replace('.0', '[0]')}`]);
    expect(server.calls.execute).toHaveLength(before);
  });

  it.each([[null], [1], ['x'], [[{}]], [[]], [{}], [{ length: 1, 0: {} }]])(
    'error: InvalidParametersError for %j as an item of userOps',
    async (item) => {
      const { statusCode, body } = await send('userOps', [item]);
      expect([statusCode, body]).toEqual([400, expect.stringContaining('"INVALID_PARAMETERS"')]);
    },
  );
});
