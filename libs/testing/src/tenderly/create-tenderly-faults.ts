import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { sendError, sendJson } from './send-json.js';

/** How the emulator misbehaves. `slow` takes its time to answer; `lost` does what is asked and answers nothing. */
export type TenderlyFault =
  'rate-limit' | 'quota' | 'http-500' | 'unauthorized' | 'garbage' | 'wrong-shape' | 'cut' | 'lost' | 'slow';

/** What a fault is about. */
export type TenderlyPart = 'create' | 'read' | 'delete' | 'rpc';

/** The faults that are switched on. */
export interface TenderlyFaults {
  /** Misbehave in one part for so many requests; undefined heals it. */
  readonly set: (part: TenderlyPart, fault: TenderlyFault | undefined, times?: number) => void;
  /** @returns whether the request is dealt with */
  apply(part: TenderlyPart, response: ServerResponse): Promise<boolean>;
}

/** Make the faults of an emulator, all off. */
export function createTenderlyFaults(slowMs: number): TenderlyFaults {
  const faults = new Map<TenderlyPart, { readonly fault: TenderlyFault; times: number }>();

  const take = (part: TenderlyPart): TenderlyFault | undefined => {
    const entry = faults.get(part);
    if (!entry) return undefined;
    entry.times -= 1;
    if (entry.times <= 0) faults.delete(part);
    return entry.fault;
  };

  return {
    set: (part, fault, times = Infinity) => {
      if (fault) faults.set(part, { fault, times });
      else faults.delete(part);
    },
    async apply(part, response) {
      switch (take(part)) {
        case undefined:
          return false;
        case 'rate-limit':
          response.setHeader('retry-after', '7');
          sendLimit(part, response, 429, -32005, 'rate limit exceeded');
          return true;
        case 'quota':
          sendLimit(part, response, 403, -32004, "You've reached the quota limit for your current plan.");
          return true;
        case 'http-500':
          sendError(response, 500, 'internal_server_error', 'Internal server error');
          return true;
        case 'unauthorized':
          sendError(response, 403, 'forbidden', 'Forbidden');
          return true;
        case 'garbage':
          response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>');
          return true;
        case 'wrong-shape':
          sendJson(response, 200, { hello: 'world' });
          return true;
        case 'cut':
          response.destroy();
          return true;
        case 'lost':
          response.writeHead = () => response.destroy();
          return false;
        case 'slow':
          await pause(slowMs);
          return false;
      }
    },
  };
}

// The RPC speaks JSON-RPC, the API names a slug.
function sendLimit(
  part: TenderlyPart,
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
) {
  if (part === 'rpc') sendJson(response, status, { jsonrpc: '2.0', id: 1, error: { code, message } });
  else sendError(response, status, status === 429 ? 'rate_limit' : 'quota_limit', message);
}
