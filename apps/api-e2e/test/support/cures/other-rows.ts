import type { FundedAgent } from '../funded-agent.js';
import { jsonPost } from '../api-client.js';
import { payingFetch } from '../paying-fetch.js';
import type { Place, Row } from './types.js';

const json = { 'content-type': 'application/json' };
const discover = '/v1/yield/discover';
const goal = { chain: 'base' };

/** Pay for a request, and hold its payment back from the chain until `settle`. */
async function payHeld({ url, rpc }: Place, agent: FundedAgent) {
  let release = () => {};
  const released = new Promise<void>((done) => (release = done));
  const held = new Promise<void>((reached) => {
    const remove = rpc.addHook((calls, forward) => {
      if (!calls.some(({ method }) => method === 'eth_sendRawTransaction')) return undefined;
      remove();
      reached();
      return released.then(() => forward());
    });
  });
  let payment = '';
  const paying = payingFetch(agent.privateKey, (header) => void (payment = header));
  const paid = paying(`${url}${discover}`, jsonPost({ limit: 1 }));
  await held;
  const settle = async () => {
    release();
    expect((await paid).status).toBe(200);
  };
  return { payment, settle };
}

export const otherRows: readonly Row[] = [
  {
    ...{ code: 'PAYMENT_REQUIRED', name: 'no payment', on: 'paid' },
    make: ({ agent }) => ({ agent, path: discover, body: { chain: 'base' }, headers: json, goal }),
  },
  {
    ...{ code: 'PAYMENT_IN_USE', name: 'the payment of another request', on: 'paid' },
    make: async (place) => {
      const { agent } = place;
      const { payment, settle } = await payHeld(place, agent);
      const headers = { ...json, 'PAYMENT-SIGNATURE': payment };
      return { agent, path: discover, body: { limit: 2 }, headers, goal, afterwards: settle };
    },
  },
  {
    ...{ code: 'TESTING_CAP_EXCEEDED', name: 'more ether than a call mints', on: 'forked' },
    make: ({ agent }) => ({
      ...{ agent, path: '/v1/testing/fund-wallet', goal: { success: true } },
      body: { chain: 'base', walletAddress: agent.address, ethWei: '1000000000000000000' },
    }),
  },
  {
    ...{ code: 'WALLET_NOT_ALLOWED', name: 'a wallet that is not listed', on: 'forked' },
    make: ({ agent }) => ({
      ...{ agent, path: '/v1/testing/fund-wallet', goal: { success: true } },
      body: { chain: 'base', walletAddress: `0x${'12'.repeat(20)}`, ethWei: '1' },
    }),
  },
  {
    ...{ code: 'BODY_TOO_LARGE', name: 'more than 256 KiB' },
    make: ({ agent }) => ({
      ...{ agent, path: discover, headers: json, goal, meant: { chain: 'base' } },
      body: JSON.stringify({ chain: 'base', asset: ' '.repeat(256 * 1024) }),
    }),
  },
  {
    ...{ code: 'UNSUPPORTED_MEDIA_TYPE', name: 'plain text' },
    make: ({ agent }) => ({
      ...{ agent, path: discover, body: { chain: 'base' }, headers: { 'content-type': 'text/plain' }, goal },
    }),
  },
  {
    ...{ code: 'NOT_FOUND', name: 'another method' },
    make: ({ agent }) => ({
      ...{ agent, path: '/v1/yield/chains', body: {}, goal: { chains: expect.any(Array) as unknown[] } },
    }),
  },
];
