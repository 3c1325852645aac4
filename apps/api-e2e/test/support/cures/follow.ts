import { chainFacts } from '@yield-vault/contracts';
import { fundWallet } from '@yield-vault/devnet';
import {
  errorCatalogue,
  gaslessSetupPath,
  type ErrorCode,
  type GaslessSetupRequest,
  type PrepareExecutionResponse,
  type PrepareResponse,
  type PrepareSetupResponse,
  type SetupRelayResponse,
} from '@yield-vault/protocol';
import { createTestClient, http, isAddressEqual, type Address, type Hex } from 'viem';
import { Wallet } from 'ethers';
import type { Agent } from '../agent.js';
import { jsonPost } from '../api-client.js';
import { deal } from '../deal.js';
import { signPrepared } from '../funded-agent.js';
import { signGasless } from '../gasless-wallet.js';
import { createViemAgentOf } from '../viem-agent.js';
import { payingFetch } from '../paying-fetch.js';
import type { Place, Refusal, Request } from './types.js';

type Body = Readonly<Record<string, unknown>>;
/** A request and its response. */
interface Step {
  readonly request: Request;
  readonly answer: unknown;
}
type Cure = (context: {
  readonly place: Place;
  readonly request: Request;
  readonly error: Refusal;
  /** Send the request with other fields. */
  change(fields: object): Promise<Step>;
  /** Call prepare for what the caller wants. */
  prepare(fields?: object): Promise<Step>;
}) => Promise<Step>;

const fork = ({ chains }: Place, { agent, body }: Request) => ({
  chain: chains[(body as { chain?: 'base' } | undefined)?.chain ?? 'base'],
  wallet: agent.address as Address,
});

const addMissing: Cure = async ({ place, request, error, change }) => {
  const { chain, wallet } = fork(place, request);
  const {
    token,
    missing,
    gas,
    exitReserve = '0',
  } = error.details as Record<string, string> & { token: Address };
  const usdc = chainFacts(chain.chainId).usdc.address;
  const reserve = BigInt(exitReserve);
  const isUsdc = isAddressEqual(token, usdc);
  await deal(chain.walletRpcUrl, token, wallet, BigInt(missing!) + (isUsdc ? reserve : 0n));
  if (!isUsdc) await deal(chain.walletRpcUrl, usdc, wallet, BigInt(gas!) + reserve);
  return change({});
};
const discovered: Cure = async ({ place, request, error, change, prepare }) => {
  const { chain, asset } = { chain: 'base', asset: 'USDC', ...(request.body as object) };
  const { vaults } = await place.api.discover({ chain, asset });
  const { vaultId } = vaults.find((vault) => vault.vaultId !== error.details['vaultId'])!;
  return request.path === '/v1/yield/execute' ? prepare({ vaultId }) : change({ vaultId });
};
const setUpAnew: Cure = ({ place, request }) => relay(place, request, request.prepared!);
const payAnew: Cure = async ({ place, request }) => {
  const url = `${place.url}${request.path}`;
  const response = await payingFetch(request.agent.privateKey)(url, jsonPost(request.body));
  return { request, answer: { ...((await response.json()) as object), status: response.status } };
};
const prepareAgain: Cure = ({ prepare }) => prepare();

/** What each next action means to a program. A row fails when the service gives another one. */
const cures: Readonly<Record<string, Cure>> = {
  'Correct the fields listed in details.violations and send the request again.': ({
    request: { meant },
    error,
    change,
  }) => {
    const fields = (error.details['violations'] as { field: string }[]).map(({ field }) => field);
    return change(Object.fromEntries(fields.map((field) => [field, (meant as Body)[field]])));
  },
  'Deposit and redeem with this wallet by GET /v1/yield/calls.': ({ place, request }) => {
    const { agentAddress: from, asset: _, ...fields } = request.body as Record<string, string>;
    const query = new URLSearchParams({ ...fields, from: from! });
    return send(place, { ...request, method: 'GET', path: `/v1/yield/calls?${query.toString()}` });
  },
  'Use one of the chains in details.supportedChains.': ({ error, change }) =>
    change({ chain: (error.details['supportedChains'] as string[])[0] }),
  'Use chain ethereum.': ({ change }) => change({ chain: 'ethereum' }),
  'Call discover and use a vaultId of its response.': discovered,
  'Call discover and choose a vault from its response.': discovered,
  'Call discover and choose another vault.': discovered,
  'Call discover, and call prepare with a vaultId of its response.': discovered,
  'Lower the amount, or call discover and choose another vault.': discovered,
  'Raise the amount.': ({ change }) => change({ amount: '1' }),
  'Raise the amount to details.minAmount.': ({ error, change }) =>
    change({ amount: error.details['minAmount'] }),
  'Send details.vaultAsset as the asset.': ({ error, change }) =>
    change({ asset: error.details['vaultAsset'] }),
  'Add details.missing of details.token to the wallet. Then send the request again.': addMissing,
  'Add details.missing of details.token to the wallet, and details.exitReserve of USDC to pay for leaving. Then send the request again.':
    addMissing,
  'Hold details.gas and details.exitReserve base units of USDC for gas. Add details.missing of details.token to the wallet. Then send the request again.':
    addMissing,
  'Add details.missing of details.token to the wallet or lower the amount to details.maxAmount. Then send the request again.':
    ({ error, change }) => change({ amount: error.details['maxAmount'] }),
  'Use the vaultId of a position in GET /v1/yield/status.': async ({ place, request, change }) => {
    const [position] = (await place.api.status(request.agent.address)).positions;
    return change({ vaultId: position!.vaultId });
  },
  'Redeem at most details.available base units of shares.': ({ error, change }) =>
    change({ shares: error.details['available'] }),
  'Stay in the vault: it is the best one.': async ({ place, request, error }) => {
    const [best] = (await place.api.discover({ asset: 'USDC' })).vaults;
    expect(error.details['reason']).toBe('ALREADY_BEST');
    return { request, answer: { stays: best!.vaultId === (request.body as Body)['vaultId'] } };
  },

  'Call prepare again and use the new setup ticket unchanged.': prepareAgain,
  'Call prepare again. It returns the setup that is still missing.': prepareAgain,
  'Sign the setup block of prepare unchanged and send the transaction again.': setUpAnew,
  'Correct details.field to details.expected, and sign and send the transaction again.': setUpAnew,
  'Sign with the key of details.expectedSigner and send the transaction again.': setUpAnew,
  'Sign the setup again with the right nonce and send it.': setUpAnew,
  'Sign the setup again with the gas that prepare gives and send it.': setUpAnew,
  'Fund the wallet with ETH for the setup and send the same transaction again.': async (context) => {
    const { chain, wallet } = fork(context.place, context.request);
    const { requiredWei, availableWei } = context.error.details as Record<string, string>;
    await fundWallet({ ...chain, rpcUrl: chain.walletRpcUrl }, wallet, {
      ethWei: BigInt(requiredWei!) - BigInt(availableWei!),
    });
    return context.change({});
  },
  'Call prepare. It returns the intent to sign.': prepareAgain,
  'Call prepare, and sign the documents of its gaslessSetup again.': async ({ place, request }) => {
    const wanted = request.wanted as GaslessSetupRequest;
    const { gaslessSetup } = (await place.api.prepare(wanted)) as PrepareSetupResponse;
    const wallet = new Wallet(request.agent.privateKey);
    const body = await signGasless({ wallet, deposit: wanted }, gaslessSetup!);
    return send(place, { ...request, path: gaslessSetupPath, body });
  },

  'Call prepare again and sign the envelope exactly as it is returned.': prepareAgain,
  'Call prepare again and re-sign the new envelope.': prepareAgain,
  'Check balance and approvals, then call prepare again.': prepareAgain,
  'Check the USDC balance for gas, then call prepare again.': prepareAgain,
  'Check the USDC balance and any paymaster allowance, then call prepare again.': prepareAgain,
  'The wallet has no delegation. Call prepare and send its setup first.': prepareAgain,
  'Another operation of this wallet was included first. Check whether it was this one; if not, call prepare again.':
    async ({ place, request, prepare }) => {
      const { intentEnvelope } = request.body as { intentEnvelope: { merkleRoot: Hex } };
      const { body } = await place.api.call('GET', `/v1/yield/intents/${intentEnvelope.merkleRoot}`);
      expect((body as Body)['state']).not.toBe('confirmed');
      return prepare();
    },
  'Send details.expected as intentId, or leave it out.': ({ error, change }) =>
    change({ intentId: error.details['expected'] }),
  'Sign `signing` of this envelope by EIP-712 with the key of details.expectedSigner, and execute it again.':
    async ({ request: { agent, body }, error, change }) => {
      const { intentEnvelope } = body as Pick<PrepareExecutionResponse['execution'], 'intentEnvelope'>;
      expect(error.details['expectedSigner']).toBe(agent.address);
      return change({ intentSignature: await agent.signIntent(intentEnvelope.signing) });
    },
  'Send the whole envelope as prepare returned it, with the signature of its `signing`.': ({
    request,
    change,
  }) => change(request.meant!),
  'Send the same request again. It continues to wait and never submits twice.': async ({
    place,
    request,
    change,
  }) => {
    const { chain } = fork(place, request);
    await createTestClient({ mode: 'anvil', transport: http(chain.walletRpcUrl) }).mine({ blocks: 10 });
    return change({});
  },
  'Execute the intent, or call prepare again.': async ({ place, request, change }) => {
    await place.api.execute(request.meant!);
    return change({});
  },

  'Attach a payment for one of the accepted terms and send the same request again.': payAnew,
  'Sign a new payment for this request.': payAnew,
  'Lower the amount to the caps in details.limits. Repeated calls are allowed.': ({ error, change }) => {
    const { maxEthWeiPerCall } = error.details['limits'] as Record<string, string>;
    return change({ ethWei: maxEthWeiPerCall });
  },
  'Use a wallet on the allowlist of this deployment.': ({ place, change }) =>
    change({ walletAddress: place.agent.address }),
  'Send a body of at most details.limitBytes bytes.': ({ request: { meant }, error, change }) => {
    expect(JSON.stringify(meant).length).toBeLessThan(error.details['limitBytes'] as number);
    return change(meant!);
  },
  'Send JSON with the header Content-Type: application/json.': ({ place, request }) =>
    send(place, { ...request, headers: { 'content-type': 'application/json' } }),
  'Use a path and method of /openapi.json.': async ({ place, request }) => {
    const document = (await (await fetch(`${place.url}/openapi.json`)).json()) as { paths: object };
    const [method] = Object.keys((document.paths as Record<string, object>)[request.path] ?? {});
    return send(place, { ...request, method: method!.toUpperCase() as 'POST' });
  },
};

/** Follow each refusal and each setup until the goal is reached, or nothing more is to be done. */
export async function pursue(place: Place, { request, answer }: Step, steps = 8): Promise<unknown> {
  if (steps === 0) throw new Error(`This goes on and on: ${JSON.stringify(answer)}`);
  const { agent, wanted } = request;
  const prepare = (fields: object = {}) =>
    send(place, { ...request, path: '/v1/yield/prepare', body: { ...wanted, ...fields } });
  const goOn = async (step: Promise<Step>) => pursue(place, await step, steps - 1);
  if (isRefusal(answer)) {
    // A 402 has the body of x402.
    const cure = cures[answer.nextAction ?? errorCatalogue[answer.code as ErrorCode].nextAction];
    if (!cure) throw new Error(`No cure for ${JSON.stringify(answer)}`);
    const change = (fields: object) =>
      send(place, {
        ...request,
        body: typeof request.body === 'string' ? fields : { ...request.body, ...fields },
      });
    return goOn(cure({ place, request, error: answer, change, prepare }));
  }
  const { needsSetup, setupRequired } = answer as Partial<PrepareResponse & SetupRelayResponse>;
  if (needsSetup === true)
    return goOn(relay(place, { ...request, wanted: request.body as object }, answer as PrepareSetupResponse));
  if (setupRequired !== undefined && wanted) return goOn(prepare());
  if (needsSetup === undefined) return answer;
  const body = await signPrepared(agent, answer as PrepareResponse);
  return goOn(send(place, { ...request, path: '/v1/yield/execute', body }));
}

/** Send a request; the response is checked against the document of the service. */
export async function send(place: Place, request: Request): Promise<Step> {
  const { method = 'POST', path, body, headers } = request;
  const reply = (status: number, answer: unknown): Step => ({
    request,
    answer: status === 200 ? answer : { ...(answer as object), status },
  });
  if (!headers) {
    const answer = await place.api.call(method, path, body);
    return reply(answer.status, answer.body);
  }
  const response = await fetch(`${place.url}${path}`, {
    ...{ method, headers: { ...headers } },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return reply(response.status, await response.json());
}

const isRefusal = (answer: unknown): answer is Refusal => (answer as Refusal).status >= 400;

async function relay(
  place: Place,
  request: Request,
  { setup, setupTicket }: PrepareSetupResponse,
): Promise<Step> {
  const chain = Object.values(place.chains).find(({ chainId }) => chainId === setupTicket.chainId)!;
  const signer: Agent = await createViemAgentOf(request.agent.privateKey, chain.walletRpcUrl);
  const body = { setupTicket, signedRawTx: await signer.signSetup(setup), confirmations: 1 };
  return send(place, { ...request, path: '/v1/yield/setup-relay', body });
}
