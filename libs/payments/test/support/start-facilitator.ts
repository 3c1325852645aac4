import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, http, publicActions } from 'viem';
import { base } from 'viem/chains';
import { relayer } from './payment-chain.js';

/** Faults of the facilitator: a wrong response, or a lost one. */
export type FacilitatorFault =
  'reset' | 'silent' | { readonly status: number; readonly body: unknown; readonly text?: string };

/** The facilitator of the x402 packages, as others run it. */
export async function startFacilitator(rpcUrl: string) {
  const wallet = createWalletClient({ account: relayer, chain: base, transport: http(rpcUrl) }).extend(
    publicActions,
  );
  const signer = toFacilitatorEvmSigner({ ...wallet, address: relayer.address } as never);
  const facilitator = new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer));
  const calls: { path: string; authorization: string | undefined }[] = [];
  let fault:
    | { readonly path: string; readonly kind: FacilitatorFault; readonly moment: 'before' | 'after' }
    | undefined;

  const responseTo = async (path: string, body: string): Promise<unknown> => {
    if (path === '/supported') return facilitator.getSupported();
    const { paymentPayload, paymentRequirements } = JSON.parse(body) as {
      paymentPayload: never;
      paymentRequirements: never;
    };
    return path === '/verify'
      ? facilitator.verify(paymentPayload, paymentRequirements)
      : facilitator.settle(paymentPayload, paymentRequirements);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const path = request.url ?? '';
    calls.push({ path, authorization: request.headers.authorization });
    const current = fault?.path === path ? fault : undefined;
    const answer = current?.moment === 'before' ? undefined : await responseTo(path, body);
    if (current?.kind === 'silent') return;
    if (current?.kind === 'reset') return void request.socket.destroy();
    const { status, body: json, text } = current?.kind ?? { status: 200, body: answer, text: undefined };
    response.writeHead(status, { 'content-type': 'application/json' }).end(text ?? JSON.stringify(json));
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    /** Misbehave on one path from now on, before the work is done or after it; `undefined` heals it. */
    setFault: (path?: string, kind?: FacilitatorFault, moment: 'before' | 'after' = 'before') => {
      fault = path && kind ? { path, kind, moment } : undefined;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
