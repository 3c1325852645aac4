import { chainFacts } from '@yield-vault/contracts';
import { facilitatorKey, fundWallet } from '@yield-vault/devnet';
import { errorCatalogue, setupChecks, transactionValidationReasons } from '@yield-vault/protocol';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createApiClient } from '../test/support/api-client.js';
import { executeRows } from '../test/support/cures/execute-rows.js';
import { pursue, send } from '../test/support/cures/follow.js';
import { otherRows } from '../test/support/cures/other-rows.js';
import { prepareRows } from '../test/support/cures/prepare-rows.js';
import { setupRows } from '../test/support/cures/setup-rows.js';
import type { Place, Refusal, Row } from '../test/support/cures/types.js';
import { setBalance } from '../test/support/deal.js';
import { devnetChains, forkedChains, sharedForkService } from '../test/support/devnet.js';
import { fundedAgent, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startProxies } from '../test/support/start-proxies.js';
import { startServer, type ServerOptions } from '../test/support/start-server.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

const rows = [...prepareRows, ...setupRows, ...executeRows, ...otherRows];

/** Errors without a row. The caller can do nothing but wait, or nothing at all. */
const notCurable = {
  UPSTREAM_UNAVAILABLE: 'The caller waits; outages.full.spec.ts shows that the same request then succeeds.',
  DEPOSITS_PAUSED: 'The caller waits until the operator resumes deposits; deposit-limits.full.spec.ts.',
  DEPOSIT_CAP_REACHED: 'The operator sets caps; deposit-limits.full.spec.ts.',
  DATA_STALE: 'The caller waits until the operator has cured the worker.',
  FORK_NOT_RUNNING:
    'The caller waits; fork-recreation.full.spec.ts shows that the same request then succeeds.',
  FORK_CAPACITY: 'The caller waits; other callers occupy the forks.',
  FUNDING_FAILED: 'The caller waits; the fork refused a transaction of the service.',
  RATE_LIMIT_EXCEEDED:
    'The caller waits for up to a minute; limits.spec.ts of apps/api shows the time to wait.',
  FORKS_NOT_CONFIGURED: 'Only the operator can configure forks.',
  UNAUTHORIZED: 'Only the fork service returns it, and only to the API.',
  INTERNAL: 'A defect of the service.',
};
/** Checks of setup-relay without a row. */
const checksWithoutRow = [
  // Their rows name `details.reason` instead.
  'tx-broadcast',
  // SETUP_TRANSACTION_REVERTED is its error.
  'receipt-success',
  // These fail only when the wallet changes between the receipt and the check.
  ...['delegation-verified', 'modules-verified'],
];

type Name = NonNullable<Row['on']> | 'plain';
const places: Partial<Record<Name, Place & { stop(): Promise<void> }>> = {};
const plenty = 1_000_000_000n;
const refill = ({ agent }: Pick<Place, 'agent'>) => {
  const { walletRpcUrl, chainId } = devnetChains().base;
  return setBalance(walletRpcUrl, chainFacts(chainId).usdc.address, agent.address, plenty);
};

async function open(name: Name, options: ServerOptions, privateKey = generatePrivateKey()) {
  const chains = options.forkService ? forkedChains() : devnetChains();
  const { rpc, bundler, upstreams, stop: stopProxies } = await startProxies(chains);
  const server = await startServer({
    ...{ backfillHours: 48, requestsPerMinute: 100_000, ...options },
    upstreams,
  });
  const agent = { ...(await createViemAgentOf(privateKey, chains.base.walletRpcUrl)), privateKey };
  const api = await createApiClient(server.url);
  const stop = async () => {
    await server.stop();
    await stopProxies();
  };
  const vault = places.plain?.vault ?? (await usdcVault(api));
  const place = { url: server.url, api, chains, rpc, bundler, agent, vault, fresh: fundedAgent, stop };
  places[name] = place;
  return place;
}

async function settle({ agent, api, vault }: Place): Promise<void> {
  await setUp(api, agent, vault.vaultId);
  await api.execute(await signedDeposit(api, agent, vault.vaultId));
}

describe('errors that the caller can cure', () => {
  beforeAll(async () => {
    const plain = await open('plain', { relay: { setupWaitSeconds: 1 } });
    await fundWallet(plain.chains.base, plain.agent.address, { ethWei: 10n ** 18n, usdc: plenty });
    await settle(plain);

    const payments = { PAYMENTS: 'on', FACILITATOR_PRIVATE_KEY: facilitatorKey };
    await refill(await open('paid', { env: { ...payments, PUBLIC_URL: 'https://api.example' } }));

    const listed = generatePrivateKey();
    const walletAddress = privateKeyToAddress(listed);
    const testing = { allowlist: [walletAddress] };
    const env = { PREFLIGHT_MODE: 'off' };
    const forked = await open('forked', { forkService: sharedForkService(), env, testing }, listed);
    const funds = { ethWei: '20000000000000000', usdcAmount: '50000000' };
    for (const _ of [1, 2]) await forked.api.fundWallet({ chain: 'base', walletAddress, ...funds });
    await settle(forked);
  }, 120_000);
  afterAll(() => Promise.all(Object.values(places).map((place) => place.stop())));

  it('behavior: each error code, each reason and each check has a row, or a reason to have none', () => {
    const codes = rows.map(({ code }) => code);
    expect([...new Set([...codes, ...Object.keys(notCurable)])].sort()).toEqual(
      Object.keys(errorCatalogue).sort(),
    );
    expect(codes.filter((code) => code in notCurable)).toEqual([]);
    const reasons = new Set([...rows.map(({ reason }) => reason), ...checksWithoutRow]);
    const known = [...transactionValidationReasons, ...setupChecks];
    expect(known.filter((reason) => !reasons.has(reason))).toEqual([]);
  });

  it.each(rows.map((row) => [row.code, row.reason ?? '', row.name, row] as const))(
    'error: %s %s: %s',
    async (code, reason, _, row) => {
      const place = places[row.on ?? 'plain']!;
      if (place === places.plain) await refill(place);
      const request = await row.make(place);
      const sends = () =>
        place.bundler.callsOf('eth_sendUserOperation').length +
        place.rpc.callsOf('eth_sendRawTransaction').length;
      const before = sends();
      const step = await send(place, request);
      const { details = {}, ...refusal } = step.answer as Refusal;
      expect(refusal).toMatchObject({ code, status: expect.any(Number) as number });
      if (reason) expect(Object.values(details).flat()).toContain(reason);
      if (!row.isSent) expect(sends()).toBe(before);
      await request.afterwards?.();
      const executed = { result: 'executed', receipt: { status: 'success' } };
      expect(await pursue(place, step)).toMatchObject(request.goal ?? executed);
    },
    30_000,
  );
});
