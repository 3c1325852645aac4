import { serializeTransaction } from 'viem';
import { checkRpcBody } from './check-rpc-body.js';

const call = (method: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params: [] });
const deployment = { type: 'eip1559', chainId: 8453, gas: 30_000_000n, data: '0x60' } as const;

describe('checkRpcBody', () => {
  it('default: plain calls are passed on', () => {
    const asItIs = { action: 'forward' };
    expect(checkRpcBody(call('eth_call'))).toEqual(asItIs);
    expect(checkRpcBody([call('eth_call'), call('eth_getLogs')])).toEqual(asItIs);
    expect(checkRpcBody({ jsonrpc: '2.0', method: 'eth_chainId' })).toEqual(asItIs);
  });

  it.each([
    ...['anvil_setBalance', 'hardhat_setCode', 'evm_mine', 'personal_sign'],
    ...['eth_sendTransaction', 'eth_sendUnsignedTransaction', 'eth_sign'],
  ])('error: %s is the operator’s', (method) => {
    expect(checkRpcBody(call(method, 'a'))).toMatchObject({
      action: 'respond',
      status: 200,
      response: { id: 'a', error: { code: -32004 } },
    });
  });

  it.each([
    'eth_setBalance',
    'ETH_CALL',
    '__proto__',
    '',
    'eth_fillTransaction',
    'debug_traceCall',
    'debug_traceBlockByNumber',
    'trace_filter',
    'x'.repeat(10_000),
  ])('error: %.20s does not exist', (method) => {
    const checked = checkRpcBody(call(method));
    expect(checked).toMatchObject({ action: 'respond', response: { error: { code: -32601 } } });
    expect(JSON.stringify(checked).length).toBeLessThan(300);
  });

  it.each([
    null,
    5,
    'eth_call',
    {},
    { method: 5 },
    { method: ['eth_call'] },
    call('eth_call', {}),
    { ...call('eth_call'), Method: 'eth_sign' },
  ])('error: %j is no call', (body) => {
    expect(checkRpcBody(body)).toMatchObject({ action: 'respond', response: { error: { code: -32600 } } });
  });

  it('error: more gas than a call may use, in any field', () => {
    const withGas = (method: string, ...params: unknown[]) => checkRpcBody({ ...call(method), params });
    const refused = { action: 'respond', response: { id: 1, error: { code: -32602 } } };
    expect(withGas('eth_call', { gas: '0x3b9aca00' })).toMatchObject({ action: 'forward' });
    expect(withGas('eth_call', { gas: '0x3b9aca01' })).toMatchObject(refused);
    const simulate = (count: number) =>
      withGas('eth_simulateV1', { blockStateCalls: [{ calls: Array(count).fill({ to: '0x01' }) }] });
    expect(simulate(33)).toMatchObject({ action: 'replace' });
    expect(simulate(34)).toMatchObject(refused);
    expect(withGas('eth_simulateV1', [[[null, null, [{ to: '0x01' }]]]])).toMatchObject(refused);
    expect(withGas('eth_call', { gas: '0xffffffffff' }, 'latest', {}, { gasLimit: -1e15 })).toMatchObject(
      refused,
    );
  });

  it('error: more gas, or more transactions, than a batch may use together', () => {
    const read = { ...call('eth_call'), params: [{ gas: '0x2faf080' }] }; // 50,000,000
    const refused = { action: 'respond', status: 400, response: { error: { code: -32600 } } };
    expect(checkRpcBody(Array(80).fill(read))).toMatchObject({ action: 'forward' });
    expect(checkRpcBody(Array(81).fill(read))).toMatchObject(refused);
    expect(checkRpcBody([...(Array(80).fill(read) as unknown[]), call('anvil_mine')])).toMatchObject({
      action: 'replace',
    });
    const send = { ...call('eth_sendRawTransaction'), params: [serializeTransaction(deployment)] };
    expect(checkRpcBody(Array(133).fill(send))).toMatchObject({ action: 'forward' });
    expect(checkRpcBody(Array(134).fill(send))).toMatchObject(refused);
  });

  it.each(['eth_call', 'eth_createAccessList', 'eth_estimateGas'])(
    'attack: %s without gas has a limit, and counts in a batch',
    (method) => {
      const read = { ...call(method), params: [{ to: '0x01' }] };
      const limited = { ...read, params: [{ to: '0x01', gas: '0x1c9c380' }] };
      expect(checkRpcBody(read)).toEqual({ action: 'replace', calls: limited, refused: [] });
      expect(checkRpcBody(Array(133).fill(read))).toMatchObject({ action: 'replace', refused: [] });
      expect(checkRpcBody(Array(134).fill(read))).toMatchObject({ action: 'respond', status: 400 });
    },
  );

  it.each([
    [['0x01', { tracer: 'callTracer' }], 'forward'],
    [['0x01', { tracer: 'callTracer', timeout: '10s', reexec: 128 }], 'forward'],
    [['0x01', { tracer: 'callTracer', timeout: {} }], 'respond'],
    [['0x01', { tracer: 'callTracer', enableMemory: true }], 'respond'],
    [['0x01'], 'respond'],
    [['0x01', { tracer: '{step(){}, fault(){}, result(){ return 7 }}' }], 'respond'],
    [['0x01', { tracer: 'callTracer', Tracer: '{}' }], 'respond'],
    [undefined, 'respond'],
  ])('behavior: a transaction is traced by its calls alone: %j', (params, action) => {
    expect(checkRpcBody({ ...call('debug_traceTransaction'), params })).toMatchObject({ action });
  });

  it('error: an empty batch, and one that is too long', () => {
    expect(checkRpcBody([])).toMatchObject({ action: 'respond', status: 400 });
    expect(checkRpcBody(Array(1_001).fill(call('eth_call')))).toMatchObject({
      action: 'respond',
      status: 400,
    });
    expect(checkRpcBody(Array(1_000).fill(call('eth_call')))).toMatchObject({ action: 'forward' });
  });

  it('behavior: a batch is split; one of refusals alone is answered', () => {
    const allowed = call('eth_chainId', 1);
    expect(checkRpcBody([allowed, call('anvil_mine', 2), 'nonsense'])).toMatchObject({
      action: 'replace',
      calls: [allowed],
      refused: [
        { id: 2, error: { code: -32004 } },
        { id: null, error: { code: -32600 } },
      ],
    });
    expect(checkRpcBody([call('anvil_mine', 2)])).toMatchObject({ action: 'respond', response: [{ id: 2 }] });
  });
});
