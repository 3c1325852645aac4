import {
  createAgentClient,
  describeEvent,
  execute,
  localAddressBook,
  type Agent,
  type OperationRequest,
  type VaultReport,
  type WalletNode,
} from '@yield-vault/agent-client';
import { parseAmount } from '@yield-vault/protocol';
import { formatUnits, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { percent } from './format.js';

/** A request and its response. */
export interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly sent: unknown;
  readonly received: unknown;
}

/** Receives what happens in a step: in words, and each request. */
export interface Observer {
  readonly say: (line: string) => void;
  readonly onExchange: (exchange: Exchange) => void;
}

/** A step of the flow. */
export interface Step {
  readonly title: string;
  readonly text: string;
  readonly run: (observer: Observer) => Promise<void>;
}

const chain = 'base';
const amount = '25';
const ethWei = 10n ** 16n;

/** Create a key and the steps from an unknown wallet to a redeemed position. The browser talks to the service alone. */
export function createFlow(baseUrl: string): { readonly wallet: Address; readonly steps: readonly Step[] } {
  const signer = privateKeyToAccount(generatePrivateKey());
  const wallet = signer.address;
  let observer: Observer;
  let vault: Address;
  let report: VaultReport;
  let executed = 0n;

  const client = createAgentClient({ baseUrl, fetch: (request) => record(request, observer) });
  const position = async () => {
    const { positions } = await client.status(wallet);
    return positions.find(({ vaultId }) => vaultId === report.vaultId);
  };
  const node = serviceNode({ report: () => report, executed: () => executed, position });
  const act = async (
    operation: { operation: 'deposit'; amount: string } | { operation: 'redeem'; percentage: number },
  ) => {
    const agent: Agent = {
      client,
      signer,
      node,
      chain,
      addressBook: localAddressBook,
      onProgress: (event) => {
        if (event.type === 'executed') executed += 1n;
        for (const line of describeEvent(event)) observer.say(line);
      },
    };
    const request: OperationRequest = { ...operation, vault, asset: 'USDC' };
    await execute(agent, request);
  };

  const steps = [
    {
      title: 'Discover',
      text: 'Take the best USDC vault on Base, and read what its numbers come from.',
      run: async () => {
        const [best] = (await client.discover({ chain, asset: 'USDC', limit: 1 })).vaults;
        if (!best) throw new Error('No USDC vault is listed on Base yet. Try again in a moment.');
        vault = best.vaultAddress;
        report = await client.explain(best.vaultId);
        observer.say(`${best.name}: ${percent(best.apy.now)} APY, risk ${best.risk.level}`);
      },
    },
    {
      title: 'Fund',
      text: 'Mint 0.01 ETH and 50 USDC for the wallet on the test fork.',
      run: async () => {
        const funds = { ethWei: String(ethWei), usdcAmount: '50000000' };
        await client.fundWallet({ chain, walletAddress: wallet, ...funds });
        observer.say('The wallet holds 0.01 ETH and 50 USDC.');
      },
    },
    {
      title: 'Deposit',
      text: `Deposit ${amount} USDC. The wallet is new, so prepare returns its setup first. Verify, sign and relay it; prepare again; verify, sign and execute the intent.`,
      run: () => act({ operation: 'deposit', amount }),
    },
    {
      title: 'Status',
      text: 'Read the position.',
      run: async () => {
        const held = await position();
        if (!held) throw new Error('The service shows no position yet. Try again in a moment.');
        observer.say(`${held.currentValue} USDC now, for ${held.depositedAmount} USDC deposited`);
      },
    },
    {
      title: 'Redeem',
      text: 'Prepare a redeem of everything, verify, sign and execute it.',
      run: async () => {
        await act({ operation: 'redeem', percentage: 100 });
        observer.say((await position()) ? 'Shares are left.' : 'No position is left.');
      },
    },
  ];
  return {
    wallet,
    steps: steps.map(({ run, ...step }) => ({
      ...step,
      run: (next) => {
        observer = next;
        return run();
      },
    })),
  };
}

/** What the service says about the wallet and its vault. */
interface ServiceView {
  readonly report: () => VaultReport;
  readonly executed: () => bigint;
  readonly position: () => Promise<{ readonly shares: string } | undefined>;
}

const always =
  <Value>(value: Value) =>
  () =>
    Promise.resolve(value);

/** Take from the service what an agent reads from its own node: this page reaches no node, and nothing here is real. */
function serviceNode({ report, executed, position }: ServiceView): WalletNode {
  return {
    requireChain: always(undefined),
    requireKnownModules: always(undefined),
    removedModulesOf: always([]),
    // Nobody else has the key, so the setup is its first transaction.
    nonceOf: always(0),
    codeOf: always(undefined),
    etherOf: always(ethWei),
    permitNonceOf: always(0n),
    readGasLimits: always({}),
    nonceSequenceOf: () => Promise.resolve(executed()),
    outcomeOf: always({ kind: 'open' } as const),
    receiptOf: always(undefined),
    sharesFor: (assets) => {
      const { asset, shareDecimals, sharePrice } = report();
      const shares = Number(formatUnits(assets, asset.decimals)) / sharePrice;
      return Promise.resolve(parseAmount(shares.toFixed(shareDecimals), shareDecimals));
    },
    sharesOf: async () => BigInt((await position())?.shares ?? 0),
    assetsFor: (shares) => {
      const { asset, shareDecimals, sharePrice } = report();
      const assets = Number(formatUnits(shares, shareDecimals)) * sharePrice;
      return Promise.resolve(parseAmount(assets.toFixed(asset.decimals), asset.decimals));
    },
    shareTokenOf: (address, chainId) =>
      Promise.resolve({ chainId, address, symbol: 'shares', decimals: report().shareDecimals }),
  };
}

/** Send a request, and report it with its response. */
async function record(request: Request, { onExchange }: Observer): Promise<Response> {
  const sent = request.clone();
  const started = performance.now();
  const response = await fetch(request);
  const { pathname, search } = new URL(request.url);
  const body = await sent.text();
  onExchange({
    request: `${request.method} ${pathname}${search}`,
    status: response.status,
    milliseconds: performance.now() - started,
    sent: body === '' ? undefined : JSON.parse(body),
    received: await response
      .clone()
      .json()
      .catch(() => null),
  });
  return response;
}
