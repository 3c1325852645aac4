import { createServer } from 'node:http';
import { listen } from '@yield-vault/testing';
import { createClient } from 'viem';
import { batchHttp } from './batch-http.js';

interface Call {
  readonly id: number;
  readonly method: string;
}

let close: () => Promise<void>;
let bodies: unknown[];
let respond: (call: Call) => object | undefined;
/** Put around the responses of a batch before they are sent. */
let arrange: (responses: object[]) => unknown;
let send: (method: string) => Promise<unknown>;

beforeEach(async () => {
  bodies = [];
  respond = ({ id, method }) => ({ jsonrpc: '2.0', id, result: `${method}!` });
  arrange = (responses) => responses;
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Call | Call[];
      bodies.push(body);
      const said = Array.isArray(body) ? arrange(body.map(respond).filter((each) => !!each)) : respond(body);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(said));
    });
  });
  const { port, stop } = await listen(server);
  close = stop;
  const client = createClient({
    transport: batchHttp(`http://127.0.0.1:${port}`, { timeoutMs: 1_000, batchSize: 3 }),
  });
  send = (method) => client.request({ method } as never, { retryCount: 0 });
});
afterEach(() => close());

describe('batchHttp', () => {
  it('default: calls of one turn travel together, so many at a time', async () => {
    const asked = ['a', 'b', 'c', 'd'].map(send);
    await expect(Promise.all(asked)).resolves.toEqual(['a!', 'b!', 'c!', 'd!']);
    expect(bodies).toMatchObject([[{ method: 'a' }, { method: 'b' }, { method: 'c' }], { method: 'd' }]);
  });

  it('behavior: calls that are made once others were answered travel by themselves', async () => {
    await send('a');
    await send('a');
    expect(bodies).toMatchObject([{ method: 'a' }, { method: 'a' }]);
  });

  it('behavior: answers may come in any order, with ids that became text', async () => {
    arrange = (responses) => responses.map((each) => ({ ...each, id: String((each as Call).id) })).reverse();
    await expect(Promise.all(['a', 'b', 'c'].map(send))).resolves.toEqual(['a!', 'b!', 'c!']);
  });

  it('error: the refusal of one call is its own', async () => {
    respond = ({ id, method }) =>
      method === 'b' ? { id, error: { code: 3, message: 'execution reverted' } } : { id, result: method };
    const [a, b] = await Promise.allSettled(['a', 'b'].map(send));
    expect(a).toMatchObject({ status: 'fulfilled', value: 'a' });
    expect(b).toMatchObject({ status: 'rejected', reason: { cause: { code: 3 } } });
  });

  it('error: the refusal of a whole batch is no response to its calls', async () => {
    arrange = () => ({ error: { code: -32_600, message: 'batch too large' } });
    const settled = await Promise.allSettled(['a', 'b'].map(send));
    for (const each of settled) {
      if (each.status === 'fulfilled') throw new Error('answered');
      expect((each.reason as Error).cause).toBeInstanceOf(TypeError);
    }
  });

  it.each<[string, (refusal: object) => unknown]>([
    ['in place of', (refusal) => refusal],
    ['as the only one of', (refusal) => [{ id: null, ...refusal }]],
  ])('behavior: reads travel in smaller batches after a refusal %s the responses', async (_, wrap) => {
    const refusal = { error: { code: -32_014, message: 'too many RPC calls in batch request' } };
    arrange = (responses) => (responses.length > 1 ? wrap(refusal) : responses);
    const reads = ['eth_call', 'eth_getCode', 'eth_getBalance'];
    await expect(Promise.all(reads.map(send))).resolves.toEqual(reads.map((method) => `${method}!`));
    bodies = [];
    const writes = await Promise.allSettled(['eth_call', 'eth_sendRawTransaction'].map(send));
    expect(writes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(bodies).toHaveLength(1);
  });

  it('error: a limit of the rate is not met with more requests', async () => {
    arrange = () => ({ error: { code: -32_005, message: 'batch rate limit exceeded' } });
    const reads = await Promise.allSettled(['eth_call', 'eth_getCode'].map(send));
    expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(bodies).toHaveLength(1);
  });

  it('error: a call that has no response fails, and no other', async () => {
    respond = ({ id, method }) => (method === 'b' ? undefined : { id, result: method });
    const settled = await Promise.allSettled(['a', 'b', 'c'].map(send));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
