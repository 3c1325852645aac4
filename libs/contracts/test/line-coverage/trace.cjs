// Traces every call and every mined transaction of a spec, and keeps the markers that ran.
const { appendFileSync } = require('node:fs');

const send = globalThis.fetch;
const traced = new Set();
// The optimiser chooses the opcode that compares.
const tracer = `{
  values: {}, last: '',
  step(log) {
    const op = log.op.toString();
    if (this.last === 'GAS' && /^(EQ|SUB|XOR)$/.test(op))
      for (const place of [0, 1]) this.values[log.stack.peek(place).toString(16)] = true;
    this.last = op;
  },
  fault() {},
  result() { return Object.keys(this.values); },
}`;

async function trace(url, method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const { result, error } = await (await send(url, { method: 'POST', headers, body })).json();
  if (error) throw new Error(error.message);
  appendFileSync(process.env.COVERAGE_VALUES, result.map((value) => `${value}\n`).join(''));
}

globalThis.fetch = async (url, request) => {
  const { method, params } = JSON.parse(request.body);
  if (method === 'eth_call' || method === 'eth_estimateGas') {
    const [transaction, block = 'latest', stateOverrides] = params;
    await trace(url, 'debug_traceCall', transaction, block, { tracer, stateOverrides });
  }
  const response = await send(url, request);
  if (method === 'eth_getTransactionReceipt' && !traced.has(params[0])) {
    const { result } = await response.clone().json();
    if (result) {
      traced.add(params[0]);
      await trace(url, 'debug_traceTransaction', params[0], { tracer });
    }
  }
  return response;
};
