import type { RpcProxy, RpcProxyCall, TcpProxy } from '@yield-vault/testing';

/** The proxies of one server: every request that it sends passes one of them. */
export interface ServerProxies {
  readonly rpc: RpcProxy;
  readonly bundler: RpcProxy;
  readonly database: TcpProxy;
}

/** Arms a point for one intent, until `killed`; resolves once the server has reached it. */
export type KillPoint = (proxies: ServerProxies, target: Target, killed: AbortSignal) => Promise<void>;

/** An intent that is about to be executed. */
export interface Target {
  /** In lower case. */
  readonly intentId: string;
  /** In lower case. */
  readonly wallet: string;
  readonly userOpHash: string;
}

/**
 * A JSON-RPC call, `before` it is forwarded, or `after` the upstream handled it and before its response. The calls of
 * other intents in the same batch fail at their deadline, and are made again.
 */
const call =
  (upstream: 'rpc' | 'bundler', method: string, when: 'before' | 'after'): KillPoint =>
  (proxies, { wallet, userOpHash }, killed) =>
    new Promise((reached) => {
      const isAboutTarget = (each: RpcProxyCall) => {
        const text = JSON.stringify(each.params ?? []).toLowerCase();
        // A transaction hash does not tell whose receipt is read.
        const isNamed = text.includes(wallet.slice(2)) || text.includes(userOpHash);
        return each.method === method && (isNamed || method === nodeReceipt);
      };
      const remove = proxies[upstream].addHook((calls, forward) => {
        if (!calls.some(isAboutTarget)) return undefined;
        return (when === 'after' ? forward() : Promise.resolve()).then(() => {
          reached();
          return new Promise<never>(() => undefined);
        });
      });
      killed.addEventListener('abort', remove);
    });

const nodeReceipt = 'eth_getTransactionReceipt';
const reserve = 'reserve_intent(';
// A text parameter of the wire protocol follows its length.
const storing = (state: string) => `\0\0\0${String.fromCharCode(state.length)}${state}`;

const statement =
  (what: 'request' | 'response', text: string): KillPoint =>
  ({ database }, { intentId }) =>
    database.hold(what, [text, intentId]);

const eventQuery =
  (what: 'request' | 'response'): KillPoint =>
  ({ database }, { wallet }) =>
    database.hold(what, ['from user_operation', wallet]);

/** The points at which a server is killed, in the order in which an execute reaches them. */
export const killPoints: Readonly<Record<string, KillPoint>> = {
  'before the reservation is stored': statement('request', reserve),
  'after the reservation is stored': statement('response', reserve),
  'before the simulation': call('rpc', 'eth_simulateV1', 'before'),
  'after the simulation': call('rpc', 'eth_simulateV1', 'after'),
  'before simulated is stored': statement('request', storing('simulated')),
  'after simulated is stored': statement('response', storing('simulated')),
  'before submitted is stored': statement('request', storing('submitted')),
  'after submitted is stored': statement('response', storing('submitted')),
  'before the send is forwarded': call('bundler', 'eth_sendUserOperation', 'before'),
  'after the send is forwarded': call('bundler', 'eth_sendUserOperation', 'after'),
  'before its event is sought': eventQuery('request'),
  'after its event is sought': eventQuery('response'),
  'before included is stored': statement('request', storing('included')),
  'after included is stored': statement('response', storing('included')),
  'before confirmed is stored': statement('request', storing('confirmed')),
  'after confirmed is stored': statement('response', storing('confirmed')),
  "before the node's receipt is read": call('rpc', nodeReceipt, 'before'),
  "after the node's receipt is read": call('rpc', nodeReceipt, 'after'),
};

const isAlone = (name: string) => name.includes("node's receipt");
const together = Object.entries(killPoints).filter(([name]) => !isAlone(name));

/** Points that one kill meets, each by an intent of its own. */
export type KillGroup = readonly (readonly [name: string, point: KillPoint])[];

/**
 * The points in groups, two at a time: one for each server. The last points do not tell intents apart, so each is a group
 * of its own.
 */
export const killGroups: readonly (readonly [KillGroup, KillGroup])[] = [
  [0, 1].map((parity) => together.filter((_, index) => (index % 4) >> 1 === parity)),
  Object.entries(killPoints)
    .filter(([name]) => isAlone(name))
    .map((point) => [point]),
] as never;
