import { examples } from '../../src/openapi/examples.js';
import { buildPreparedEnvelope } from './build-responses.js';

/** JSON that a test may bend into any shape. */
export type Body = Record<string, unknown>;

const { agentAddress, vaultId, implementation, hash32 } = examples;

export const buildDeposit = (overrides: Body = {}): Body => ({
  operation: 'deposit',
  chain: 'base',
  agentAddress,
  vaultId,
  asset: 'USDC',
  amount: '25',
  ...overrides,
});

export const buildGasless = (overrides: Body = {}): Body => ({
  chain: 'base',
  agentAddress,
  vaultId,
  asset: 'USDC',
  amount: '25',
  permitSignature: `0x${'12'.repeat(65)}`,
  authorization: {
    chainId: 8453,
    address: agentAddress,
    nonce: 0,
    yParity: 0,
    r: `0x${'12'.repeat(32)}`,
    s: `0x${'12'.repeat(32)}`,
  },
  ...overrides,
});

export const buildRedeem = (overrides: Body = {}): Body => ({
  operation: 'redeem',
  chain: 'base',
  agentAddress,
  vaultId,
  percentage: 50,
  ...overrides,
});

/** A copy of a JSON value, `place` of which, such as `userOps.0.userOperation`, is replaced (or removed, with `undefined`). */
export function putAt(json: object, place: string, value: unknown): Body {
  const copy = structuredClone(json) as Body;
  const steps = place.split('.');
  const last = steps.pop()!;
  const parent = steps.reduce((inner, step) => inner[step] as Body, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** The envelope as plain JSON, a place of which may be replaced or removed. */
export function buildEnvelope(place?: string, value?: unknown): Body {
  const envelope = buildPreparedEnvelope();
  return place === undefined ? (structuredClone(envelope) as unknown as Body) : putAt(envelope, place, value);
}

export const buildExecute = (overrides: Body = {}): Body => ({
  intentEnvelope: buildEnvelope(),
  intentSignature: examples.signature,
  ...overrides,
});

export const buildTicket = (overrides: Body = {}): Body => ({
  version: 1,
  walletAddress: agentAddress,
  chainId: 8453,
  implementation,
  initCalldataHash: hash32,
  setupType: 'full',
  expiresAt: '2026-01-01T00:15:00.000Z',
  ...overrides,
});

export const buildSetupRelay = (overrides: Body = {}): Body => ({
  setupTicket: buildTicket(),
  signedRawTx: '0x04f8',
  confirmations: 2,
  ...overrides,
});
