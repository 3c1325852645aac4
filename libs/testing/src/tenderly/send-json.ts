import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Answer with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Answer with an error as the REST API of Tenderly writes it. */
export function sendError(response: ServerResponse, status: number, slug: string, message: string): void {
  sendJson(response, status, { error: { id: randomUUID(), slug, message } });
}
