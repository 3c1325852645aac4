import { startRpcProxy } from '@yield-vault/testing';
import { devnetChains, type DevnetChains } from './devnet.js';

/** Start proxies in front of the node and the bundler of Base; `upstreams` are the options of a server behind them. */
export async function startProxies({ base }: Pick<DevnetChains, 'base'> = devnetChains()) {
  const [rpc, bundler] = await Promise.all([startRpcProxy(base.rpcUrl), startRpcProxy(base.bundlerUrl)]);
  return {
    rpc,
    bundler,
    upstreams: { base: { rpcUrl: rpc.url, bundlerUrl: bundler.url } },
    stop: async () => {
      await Promise.all([rpc.stop(), bundler.stop()]);
    },
  };
}

export type Proxies = Awaited<ReturnType<typeof startProxies>>;
