import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceError } from '@yield-vault/protocol';
import { numberToHex, type Hex } from 'viem';
import { z } from 'zod';
import type { BlockRef } from '../types.js';
import type { RpcCall, RpcOutcome } from './types.js';

const callSchema = z.object({
  id: z.unknown().optional(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const bodySchema = z.union([callSchema, z.array(callSchema)]);
const blockPath = /^\/([^/]+)\/(0x[0-9a-f]+)-(0x[0-9a-f]+)-(0x[0-9a-f]{64})$/;
const internalError = -32603;

/** An address for a host that starts before its block is known. */
export interface Reservation {
  readonly url: string;
  /** Say which block it is; until then nothing is answered. */
  readonly pin: (block: BlockRef) => void;
  /** Give the address back. */
  readonly release: () => void;
}

/** The loopback address at which hosts ask. */
export interface GatewayServer {
  urlFor(block: BlockRef): string;
  reserve(): Reservation;
  close(): Promise<void>;
}

/** Listen on the loopback interface; only who knows the random path is answered. */
export async function serveGateway(
  answer: (block: BlockRef, call: RpcCall) => Promise<RpcOutcome>,
): Promise<GatewayServer> {
  const token = randomBytes(16).toString('hex');
  const reserved = new Map<string, Promise<BlockRef>>();

  const answerOne = async (block: BlockRef, { id, ...call }: z.output<typeof callSchema>) => {
    const outcome = await answer(block, call).catch(asOutcome);
    return { jsonrpc: '2.0', id, ...outcome };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const block = readPath(path, token) ?? (await reserved.get(path));
    const body = block && bodySchema.safeParse(await readJson(request)).data;
    if (!block || !body) return void response.writeHead(404).end();
    const answers = Array.isArray(body)
      ? await Promise.all(body.map((call) => answerOne(block, call)))
      : await answerOne(block, body);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  };

  const server = createServer((request, response) => {
    // Who asked is gone: there is nobody to tell.
    serve(request, response).catch(() => response.destroy());
  });
  // Hosts keep their connections for as long as they live.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    urlFor: ({ number, timestamp, hash }) =>
      `http://127.0.0.1:${port}/${token}/${numberToHex(number)}-${numberToHex(timestamp)}-${hash.toLowerCase()}`,
    reserve() {
      const path = `/${randomBytes(16).toString('hex')}`;
      let pin: Reservation['pin'] = () => undefined;
      reserved.set(path, new Promise((resolve) => (pin = resolve)));
      return { url: `http://127.0.0.1:${port}${path}`, pin, release: () => reserved.delete(path) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readPath(path: string, token: string): BlockRef | undefined {
  const [, given, number, timestamp, hash] = blockPath.exec(path) ?? [];
  if (given !== token || !number || !timestamp || !hash) return undefined;
  return { number: BigInt(number), timestamp: BigInt(timestamp), hash: hash as Hex };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

// The text of a ServiceError names no address; that of any other error might.
function asOutcome(error: unknown): RpcOutcome {
  const message = error instanceof ServiceError ? error.detail : 'the gateway failed';
  return { error: { code: internalError, message } };
}
