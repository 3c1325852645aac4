import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcProxyHook, RpcProxyResponse } from '@yield-vault/testing';

/** Longest time of one call to the bundler. */
export const bundlerDeadlineMs = 10_000;

/** What the caller of a send gets; the fault decides whether the bundler gets it. */
type SendFault = (forward: () => Promise<RpcProxyResponse>) => Promise<RpcProxyResponse | 'cut'>;

const silence = () => new Promise<never>(() => undefined);
const page = (status: number, text = '<html>gateway</html>'): RpcProxyResponse => ({ status, text });
const answer = (body: object): RpcProxyResponse =>
  page(200, JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }));
const failure = (code: number | undefined, message: string) => answer({ error: { code, message } });

/** The bundler gets it, and the caller this instead of the response. */
const forwarded =
  (response: RpcProxyResponse | 'cut' | 'silence'): SendFault =>
  async (forward) => {
    await forward();
    return response === 'silence' ? silence() : response;
  };
/** The caller gets a response first, and the bundler the operation a second later: most bundlers are slower than ours. */
const answeredFirst =
  (response: RpcProxyResponse | 'cut' | 'silence'): SendFault =>
  (forward) => {
    void sleep(1_000)
      .then(forward)
      .catch(() => undefined);
    return response === 'silence' ? silence() : Promise.resolve(response);
  };
const kept =
  (response: RpcProxyResponse | 'cut' | 'silence'): SendFault =>
  () =>
    response === 'silence' ? silence() : Promise.resolve(response);
const late =
  (ms: number): SendFault =>
  async (forward) => {
    await sleep(ms);
    return forward();
  };

const unknown: Record<string, RpcProxyResponse | 'cut' | 'silence'> = {
  'connection cut': 'cut',
  'no response': 'silence',
  'HTTP 404': page(404),
  'HTTP 429': page(429),
  'HTTP 500': page(500),
  'HTTP 502': page(502),
  'HTTP 504': page(504),
  'a page': page(200),
  'half a response': page(200, '{"jsonrpc":"2.0","id":1,"res'),
  'no body': page(200, ''),
  'result null': answer({ result: null }),
  'no result': answer({}),
  '-32000 timed out': failure(-32000, 'request timed out'),
  'no code': failure(undefined, 'temporarily unavailable'),
  '-32603 internal error': failure(-32603, 'Internal error'),
  '-32005 limit': failure(-32005, 'limit exceeded'),
  '-32601 no method': failure(-32601, 'the method does not exist'),
  '-32602 names no field': failure(-32602, 'Invalid params'),
  '-32602 already known': failure(-32602, 'Already known'),
  '-32602 replaced': failure(-32602, 'replacement user operation underpriced, sender nonce known'),
  '-32504 reputation': failure(-32504, 'the paymaster is throttled'),
  '-32505 stake': failure(-32505, 'the stake of the paymaster is too low'),
  '-32500 in flight': failure(-32500, 'user operation of this sender is in-flight'),
  '-32500 AA10': failure(-32500, 'AA10 sender already constructed'),
  '-32500 AA25': failure(-32500, 'AA25 invalid account nonce'),
};

const refusals: Record<string, RpcProxyResponse> = Object.fromEntries([
  ...[-32500, -32501, -32502, -32503, -32506, -32507, -32508, -32521].map((code) => [
    `${code}`,
    failure(code, 'the bundler rejects it'),
  ]),
  ['-32500 AA24', failure(-32500, 'AA24 signature error')],
  ['-32602 names a field', failure(-32602, 'callGasLimit: not a hex value')],
]);

const named = (prefix: string, faults: Record<string, SendFault>) =>
  Object.entries(faults).map(([name, fault]) => [`${prefix}: ${name}`, fault] as const);
const mapped = <T>(from: Record<string, T>, make: (response: T) => SendFault) =>
  Object.fromEntries(Object.entries(from).map(([name, response]) => [name, make(response)]));

/** How the proxy in front of the bundler misbehaves at a send. */
export const sendFaults: ReadonlyMap<string, SendFault> = new Map([
  ...named('forwarded', mapped(unknown, forwarded)),
  ...named('answered, then forwarded', mapped(unknown, answeredFirst)),
  ...named('forwarded', {
    twice: async (forward) => {
      await forward();
      return forward();
    },
    'answered after the deadline': async (forward) => {
      const response = await forward();
      await sleep(bundlerDeadlineMs + 1_000);
      return response;
    },
  }),
  ...named('forwarded late', {
    'after the deadline': late(bundlerDeadlineMs + 1_000),
    'after 20 s': late(20_000),
  }),
  ...named('not forwarded', {
    'connection cut': kept('cut'),
    'no response': kept('silence'),
    'HTTP 502': kept(page(502)),
  }),
  ...named('refused', mapped(refusals, kept)),
]);

/** Apply to the first send of each wallet the fault that is planned for it. */
export function faultySends(planned: Map<string, SendFault>): RpcProxyHook {
  return (calls, forward) => {
    const [call] = calls;
    if (call?.method !== 'eth_sendUserOperation') return undefined;
    const { sender } = call.params[0] as { sender: string };
    const fault = planned.get(sender.toLowerCase());
    planned.delete(sender.toLowerCase());
    return fault?.(forward);
  };
}
