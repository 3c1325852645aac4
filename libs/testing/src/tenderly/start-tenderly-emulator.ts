import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startAnvil, type AnvilProcess } from '@yield-vault/anvil';
import { listen } from '../listen.js';
import { callVnet, type RpcCall } from './call-vnet.js';
import { createTenderlyFaults, type TenderlyFaults } from './create-tenderly-faults.js';
import { sendError, sendJson } from './send-json.js';

const project = { account: 'acme', project: 'vaults', accessKey: 'emulated-access-key' };
const route = `/api/v1/account/${project.account}/project/${project.project}/vnets`;
const pageSize = 10;

/** An emulated project of Tenderly. */
export interface TenderlyEmulator {
  /** Where it is, and what opens it. */
  readonly project: { readonly baseUrl: string } & Readonly<typeof project>;
  /** Those that exist, oldest first. */
  vnets(): readonly { readonly id: string; readonly slug: string }[];
  /** Every request so far, e.g. `POST /vnets`, `DELETE /vnets/…`, `rpc evm_snapshot`. */
  readonly log: readonly string[];
  readonly setFault: TenderlyFaults['set'];
  /** How many looks it takes until a new one runs. */
  setStarting(looks: number): void;
  setStatus(id: string, status: string): void;
  /** Leave an entry out of the addresses that are told. */
  hideRpc(name: string): void;
  /** Take one away behind everybody's back. */
  evict(id: string): Promise<void>;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** The chain of each network id. */
  readonly networks: Readonly<Record<number, { readonly rpcUrl: string; readonly opStack?: boolean }>>;
  /** How many the plan allows. */
  readonly maxVnets?: number;
  readonly slowMs?: number;
}

interface Vnet {
  readonly id: string;
  readonly slug: string;
  readonly displayName: string;
  readonly networkId: number;
  readonly chainId: number;
  readonly block: string;
  readonly createdAt: string;
  readonly adminKey: string;
  readonly publicKey: string;
  readonly anvil: AnvilProcess;
  status: string;
  looksUntilRunning: number;
}

interface CreationBody {
  readonly slug: string;
  readonly display_name: string;
  readonly fork_config: { readonly network_id: number; readonly block_number: string };
  readonly virtual_network_config: { readonly chain_config: { readonly chain_id: number } };
}

/**
 * Start a server with the routes, names and errors that Tenderly documents for Virtual TestNets. Behind each of them
 * is an Anvil, whose own methods are not to be had.
 */
export async function startTenderlyEmulator({
  networks,
  maxVnets = 20,
  slowMs = 1_000,
}: EmulatorOptions): Promise<TenderlyEmulator> {
  const vnets = new Map<string, Vnet>();
  const faults = createTenderlyFaults(slowMs);
  const log: string[] = [];
  let starting = 0;
  let hidden: string | undefined;

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  const running = await listen(server);
  const origin = `127.0.0.1:${String(running.port)}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${origin}`);
    if (pathname.startsWith('/rpc/')) return serveRpc(pathname.slice('/rpc/'.length), text, response);
    if (pathname !== route && !pathname.startsWith(`${route}/`)) {
      return sendError(response, 404, 'not_found', 'Not found');
    }
    if (request.headers['x-access-key'] !== project.accessKey) {
      return sendError(response, 401, 'unauthorized', 'Unauthorized');
    }
    const id = pathname.slice(route.length + 1);
    log.push(`${String(request.method)} /vnets${id && '/'}${id}`);
    switch (`${String(request.method)} ${id ? 'one' : 'all'}`) {
      case 'POST all':
        return (await faults.apply('create', response)) ? undefined : create(text, response);
      case 'GET all':
        return (await faults.apply('read', response)) ? undefined : list(searchParams.get('page'), response);
      case 'GET one':
        return (await faults.apply('read', response)) ? undefined : show(id, response);
      case 'DELETE one':
        return (await faults.apply('delete', response)) ? undefined : remove(id, response);
      default:
        return sendError(response, 405, 'method_not_allowed', 'Method not allowed');
    }
  }

  async function create(text: string, response: ServerResponse): Promise<void> {
    const wish = JSON.parse(text) as CreationBody;
    const { network_id: networkId, block_number: wanted } = wish.fork_config;
    const { chain_id: chainId } = wish.virtual_network_config.chain_config;
    const network = networks[networkId];
    if (!network || !/^[a-z0-9-]+$/i.test(wish.slug)) {
      return sendError(response, 400, 'bad_request', 'Bad request input parameters');
    }
    if ([...vnets.values()].some(({ slug }) => slug === wish.slug)) {
      return sendError(response, 409, 'conflict', 'Slug is taken');
    }
    if (vnets.size >= maxVnets) {
      return sendError(response, 403, 'quota_limit', "You've reached the quota limit for your current plan.");
    }
    const block = wanted === 'latest' ? await newestBlock(network.rpcUrl) : wanted;
    const anvil = await startAnvil({
      args: [
        ...['--accounts', '0', '--fork-url', network.rpcUrl, '--fork-block-number', String(Number(block))],
        ...['--fork-chain-id', String(chainId), '--chain-id', String(chainId), '--auto-impersonate'],
        ...['--no-storage-caching', '--prune-history', '64'],
        ...(network.opStack ? ['--network', 'optimism'] : []),
      ],
    });
    const vnet: Vnet = {
      ...{
        id: randomUUID(),
        slug: wish.slug,
        displayName: wish.display_name,
        networkId,
        chainId,
        block,
        anvil,
      },
      ...{ adminKey: randomUUID(), publicKey: randomUUID(), createdAt: new Date().toISOString() },
      status: starting > 0 ? 'starting' : 'running',
      looksUntilRunning: starting,
    };
    vnets.set(vnet.id, vnet);
    sendJson(response, 200, describe(vnet));
  }

  function describe(vnet: Vnet) {
    const rpcs = [
      { url: `http://${origin}/rpc/${vnet.adminKey}`, name: 'Admin RPC' },
      { url: `ws://${origin}/rpc/${vnet.adminKey}`, name: 'Admin websocket RPC' },
      { url: `http://${origin}/rpc/${vnet.publicKey}`, name: 'Public RPC' },
      { url: `ws://${origin}/rpc/${vnet.publicKey}`, name: 'Public websocket RPC' },
    ];
    return {
      id: vnet.id,
      slug: vnet.slug,
      display_name: vnet.displayName,
      status: vnet.status,
      created_at: vnet.createdAt,
      fork_config: { network_id: vnet.networkId, block_number: vnet.block },
      virtual_network_config: { chain_config: { chain_id: vnet.chainId }, accounts: [] },
      sync_state_config: { enabled: false },
      explorer_page_config: { enabled: false, verification_visibility: 'bytecode' },
      rpcs: rpcs.filter(({ name }) => name !== hidden),
    };
  }

  function list(page: string | null, response: ServerResponse): void {
    const start = (Number(page ?? 1) - 1) * pageSize;
    sendJson(response, 200, [...vnets.values()].slice(start, start + pageSize).map(describe));
  }

  function show(id: string, response: ServerResponse): void {
    const vnet = vnets.get(id);
    if (!vnet) return sendError(response, 404, 'not_found', 'Virtual TestNet not found');
    if (vnet.looksUntilRunning > 0) {
      vnet.looksUntilRunning -= 1;
      if (vnet.looksUntilRunning === 0) vnet.status = 'running';
    }
    sendJson(response, 200, describe(vnet));
  }

  async function remove(id: string, response: ServerResponse): Promise<void> {
    if (!vnets.has(id)) return sendError(response, 404, 'not_found', 'Virtual TestNet not found');
    await evict(id);
    response.writeHead(204).end();
  }

  async function evict(id: string): Promise<void> {
    const vnet = vnets.get(id);
    vnets.delete(id);
    await vnet?.anvil.kill();
  }

  async function serveRpc(key: string, text: string, response: ServerResponse): Promise<void> {
    const vnet = [...vnets.values()].find(({ adminKey, publicKey }) => key === adminKey || key === publicKey);
    if (!vnet) return sendError(response, 404, 'not_found', 'Virtual TestNet not found');
    const body = JSON.parse(text) as RpcCall | RpcCall[];
    for (const { method } of [body].flat()) log.push(`rpc ${method}`);
    if (await faults.apply('rpc', response)) return;
    const answer = (call: RpcCall) => callVnet(vnet.anvil.rpcUrl, call, { isAdmin: key === vnet.adminKey });
    sendJson(response, 200, await (Array.isArray(body) ? Promise.all(body.map(answer)) : answer(body)));
  }

  return {
    project: { baseUrl: `http://${origin}/api/v1`, ...project },
    vnets: () => [...vnets.values()].map(({ id, slug }) => ({ id, slug })),
    log,
    setFault: faults.set,
    setStarting: (looks) => (starting = looks),
    setStatus: (id, status) => {
      const vnet = vnets.get(id);
      if (vnet) vnet.status = status;
    },
    hideRpc: (name) => (hidden = name),
    evict,
    async stop() {
      await Promise.all([...vnets.keys()].map(evict));
      await running.stop();
    },
  };
}

async function newestBlock(rpcUrl: string): Promise<string> {
  const call = { id: 1, method: 'eth_blockNumber' };
  return String((await callVnet(rpcUrl, call, { isAdmin: false })).result);
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
