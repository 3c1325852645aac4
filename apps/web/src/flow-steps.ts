import {
  accepted,
  createAgentClient,
  localAddressBook,
  signIntent,
  signSetup,
  verifyEnvelope,
  verifySetup,
  type AgentClient,
  type EnvelopeExpectations,
  type PrepareResponse,
  type VaultReport,
  type VerifyOptions,
} from '@yield-vault/agent-client';
import { minimumOut, parseAmount } from '@yield-vault/protocol';
import type { Address } from 'viem';
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

/** A step of the flow. `run` gives what happened, in words. */
export interface Step {
  readonly title: string;
  readonly text: string;
  readonly run: (onExchange: (exchange: Exchange) => void) => Promise<readonly string[]>;
}

const chain = 'base';
const amount = '25';
const maxSlippageBps = 100;
const maxGasUsdc = 10_000_000n;

/** Create a key and the steps from an unknown wallet to a redeemed position. The browser talks to the service alone. */
export function createFlow(baseUrl: string): { readonly wallet: Address; readonly steps: readonly Step[] } {
  const account = privateKeyToAccount(generatePrivateKey());
  const wallet = account.address;
  let vault: Address;
  let report: VaultReport;
  let prepared: PrepareResponse;

  /** Writes the shares of the vault in whole units. */
  const book = (): VerifyOptions => {
    const { chainId, shareDecimals } = report;
    const share = { chainId, address: vault, symbol: 'shares', decimals: shareDecimals };
    return { addressBook: { ...localAddressBook, tokens: [...localAddressBook.tokens, share] } };
  };
  const place = () => ({ chain, agentAddress: wallet, vaultId: report.vaultId });
  const prepareDeposit = (client: AgentClient) =>
    client.prepare({ operation: 'deposit', asset: 'USDC', amount, ...place() });
  /** Verify, sign and execute a prepared operation. */
  const submit = async (client: AgentClient, operation: EnvelopeExpectations['operation']) => {
    if (prepared.needsSetup) throw new Error('The wallet is not set up. Reload the page and start again.');
    const expected = { wallet, chain, operation, maxGasUsdc };
    const verified = accepted(verifyEnvelope(prepared.execution.intentEnvelope, expected, book()));
    const intentSignature = await signIntent(account, verified);
    const { receipt, txHash } = await client.execute({ intentEnvelope: verified.envelope, intentSignature });
    return [...verified.summary, `Signed and executed: ${receipt.status}, transaction ${txHash}`];
  };
  const position = async (client: AgentClient) => {
    const { positions } = await client.status(wallet);
    return positions.find(({ vaultId }) => vaultId === report.vaultId);
  };

  const steps: readonly (Omit<Step, 'run'> & { run: (client: AgentClient) => Promise<readonly string[]> })[] =
    [
      {
        title: 'Discover',
        text: 'Take the best USDC vault on Base, and read what its numbers come from.',
        run: async (client) => {
          const [best] = (await client.discover({ chain, asset: 'USDC', limit: 1 })).vaults;
          if (!best) throw new Error('No USDC vault is listed on Base yet. Try again in a moment.');
          vault = best.vaultAddress;
          report = await client.explain(best.vaultId);
          return [`${best.name}: ${percent(best.apy.now)} APY, risk ${best.risk.level}`];
        },
      },
      {
        title: 'Fund',
        text: 'Mint 0.01 ETH and 50 USDC for the wallet on the test fork.',
        run: async (client) => {
          const funds = { ethWei: '10000000000000000', usdcAmount: '50000000' };
          await client.fundWallet({ chain, walletAddress: wallet, ...funds });
          return ['The wallet holds 0.01 ETH and 50 USDC.'];
        },
      },
      {
        title: 'Prepare',
        text: `Request a deposit of ${amount} USDC. The wallet is new, so the response is a setup.`,
        run: async (client) => {
          prepared = await prepareDeposit(client);
          if (!prepared.needsSetup)
            throw new Error('The wallet is set up already. Reload the page for another one.');
          return [`A setup of type ${prepared.setupType}, valid until ${prepared.setupTicket.expiresAt}`];
        },
      },
      {
        title: 'Set up',
        text: 'Verify the setup, sign its transaction here, and let the service relay it.',
        run: async (client) => {
          const verified = accepted(verifySetup(prepared, { wallet, chain, walletCode: '0x' }, book()));
          // Nobody else has the key, so this is its first transaction.
          const signedRawTx = await signSetup(account, verified, 0);
          const { txHash } = await client.setupRelay({ setupTicket: verified.setupTicket, signedRawTx });
          return [...verified.summary, `Relayed and verified on chain: transaction ${txHash}`];
        },
      },
      {
        title: 'Deposit',
        text: 'Prepare again, verify the envelope against the request and the share price, sign once, execute.',
        run: async (client) => {
          prepared = await prepareDeposit(client);
          const { asset, shareDecimals, sharePrice } = report;
          const shares = parseAmount((Number(amount) / sharePrice).toFixed(shareDecimals), shareDecimals);
          return submit(client, {
            kind: 'deposit',
            vault,
            amount: parseAmount(amount, asset.decimals),
            minShares: minimumOut(shares, maxSlippageBps),
          });
        },
      },
      {
        title: 'Status',
        text: 'Read the position.',
        run: async (client) => {
          const held = await position(client);
          if (!held) throw new Error('The service shows no position yet. Try again in a moment.');
          return [`${held.currentValue} USDC now, for ${held.depositedAmount} USDC deposited`];
        },
      },
      {
        title: 'Redeem',
        text: 'Prepare a redeem of everything, verify, sign and execute it.',
        run: async (client) => {
          const held = await position(client);
          if (!held) throw new Error('The wallet holds nothing of this vault.');
          prepared = await client.prepare({ operation: 'redeem', percentage: 100, ...place() });
          const assets = parseAmount(held.currentValue, report.asset.decimals);
          const lines = await submit(client, {
            kind: 'redeem',
            vault,
            shares: 'all',
            minAssets: minimumOut(assets, maxSlippageBps),
          });
          return [...lines, (await position(client)) ? 'Shares are left.' : 'No position is left.'];
        },
      },
    ];
  return {
    wallet,
    steps: steps.map(({ run, ...step }) => ({
      ...step,
      run: (onExchange) => run(createAgentClient({ baseUrl, fetch: recorded(onExchange) })),
    })),
  };
}

/** A `fetch` that reports each request and response. */
function recorded(onExchange: (exchange: Exchange) => void) {
  return async (request: Request): Promise<Response> => {
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
  };
}
