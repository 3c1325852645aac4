import type { UpstreamUnavailableError, UserOperation } from '@yield-vault/protocol';
import { numberToHex, zeroHash, type Hex, type PublicClient, type StateOverride } from 'viem';
import { formatUserOperationRequest } from 'viem/account-abstraction';
import { asUpstreamError } from '../as-upstream-error.js';
import type { ChainConfig } from '../config/chain-schema.js';
import { createJsonRpc } from '../rpc/create-json-rpc.js';
import type { UpstreamObserver } from '../rpc/guard-transport.js';
import { gasQuantity } from '../rpc/wire-scalars.js';
import { classifyOperationSend, rejectionCodes } from '../send-outcome.js';
import { asBundlerRejection } from './as-bundler-rejection.js';
import { BundlerRejection } from './bundler-rejection.js';
import {
  isNotHeld,
  type BundlerClient,
  type GasPrice,
  type SendOutcome,
  type UserOperationGas,
} from './bundler.js';
import { asRpcRefusal, createOptionalCalls } from './create-optional-calls.js';
import { bundlerSchemas } from './wire-schemas.js';

// The smallest priority fee that a bundler takes follows the chain's fees.
const priorityFeeMarginPercent = 125n;

const bareMarkerRefusal = {
  bundlerCode: -32602,
  message: 'The wallet delegates already, and the bundler takes factory 0x7702 only with eip7702Auth',
};

/**
 * Make the client of one bundler of a chain.
 *
 * @param place - of its URL in `bundlerUrls`
 * @param rpc - source of fees when the bundler has no method for them
 */
export function createBundler(
  key: string,
  config: ChainConfig,
  place: number,
  rpc: PublicClient,
  observer?: UpstreamObserver,
): BundlerClient {
  const { entryPoint, bundlerUrls, deadlines } = config;
  const dependency = `bundler:${key}`;
  const name = place === 0 ? dependency : `${dependency}:${place + 1}`;
  // Each bundler gets its part of the deadline, so that the last one still has time to respond.
  const deadlineMs = Math.max(1, Math.floor(deadlines.bundlerMs / bundlerUrls.length));
  const guard = { dependency, deadlineMs, observer, observedAs: name };
  const request = createJsonRpc(bundlerUrls[place]!, guard, asBundlerRejection);

  let isRundler = false;
  const optional = createOptionalCalls(request, dependency);
  const readStatus = (userOpHash: Hex) =>
    optional(bundlerSchemas.status, 'pimlico_getUserOperationStatus', [userOpHash]);

  async function gasPrice(nodeFees?: Promise<GasPrice>): Promise<GasPrice> {
    const quoted = await optional(bundlerSchemas.gasPrice, 'pimlico_getUserOperationGasPrice');
    if (quoted) return quoted.standard;
    const smallestPriorityFee = await optional(gasQuantity, 'rundler_maxPriorityFeePerGas');
    isRundler = smallestPriorityFee !== undefined;
    try {
      const { maxFeePerGas, maxPriorityFeePerGas } = await (nodeFees ?? rpc.estimateFeesPerGas());
      const required = ((smallestPriorityFee ?? 0n) * priorityFeeMarginPercent) / 100n;
      const raise = required > maxPriorityFeePerGas ? required - maxPriorityFeePerGas : 0n;
      return { maxFeePerGas: maxFeePerGas + raise, maxPriorityFeePerGas: maxPriorityFeePerGas + raise };
    } catch (error) {
      throw asUpstreamError(error, `rpc:${key}`) ?? error;
    }
  }

  async function estimate(userOp: UserOperation, stateOverride?: StateOverride): Promise<UserOperationGas> {
    const method = 'eth_estimateUserOperationGas';
    const params = [formatUserOperationRequest(userOp), entryPoint];
    if (stateOverride) {
      try {
        return await request(bundlerSchemas.gas, method, [...params, toRpcStateOverride(stateOverride)]);
      } catch (error) {
        const rejection = asRpcRefusal(error);
        if (!rejection || rejectionCodes.has(rejection.bundlerCode)) throw error;
        // The bundler may take no third parameter.
      }
    }
    return request(bundlerSchemas.gas, method, params);
  }

  async function send(userOp: UserOperation): Promise<SendOutcome> {
    // Rundler refuses it for certain, but with -32000, which says nothing about other operations.
    if (isRundler && userOp.factory !== undefined && !userOp.authorization)
      return { outcome: 'refused', rejection: new BundlerRejection(bareMarkerRefusal) };
    try {
      const params = [formatUserOperationRequest(userOp), entryPoint];
      const userOpHash = await request(bundlerSchemas.userOpHash, 'eth_sendUserOperation', params);
      return { outcome: 'accepted', userOpHash };
    } catch (error) {
      const outcome = classifyOperationSend(error);
      if (outcome === 'refused') return { outcome, rejection: error as BundlerRejection };
      if (outcome === 'unsent') return { outcome, error: error as UpstreamUnavailableError };
      return { outcome, cause: error };
    }
  }

  const receipt = async (userOpHash: Hex) =>
    (await optional(bundlerSchemas.receipt, 'eth_getUserOperationReceipt', [userOpHash])) ?? null;

  async function holds(userOpHash: Hex): Promise<'held' | 'not-held' | 'unsupported'> {
    // Alto finds an operation by hash only after its inclusion.
    const [operation, reported] = await Promise.all([
      optional(bundlerSchemas.operation, 'eth_getUserOperationByHash', [userOpHash]),
      readStatus(userOpHash),
    ]);
    if (operation || (reported && !isNotHeld(reported))) return 'held';
    return operation === undefined && reported === undefined ? 'unsupported' : 'not-held';
  }

  let isProbed = false;
  async function probeMethods(): Promise<void> {
    if (isProbed) return;
    const noFees = Promise.resolve({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    const probes = await Promise.allSettled([gasPrice(noFees), receipt(zeroHash), holds(zeroHash)]);
    isProbed = probes.every(({ status }) => status === 'fulfilled');
  }

  return {
    name,
    chainId: () => request(bundlerSchemas.chainId, 'eth_chainId'),
    supportedEntryPoints: () => request(bundlerSchemas.entryPoints, 'eth_supportedEntryPoints'),
    gasPrice,
    estimate,
    send,
    receipt,
    status: (userOpHash) => readStatus(userOpHash).catch(() => undefined),
    holds,
    probeMethods,
  };
}

function toRpcStateOverride(overrides: StateOverride): Record<string, unknown> {
  return Object.fromEntries(
    overrides.map(({ address, balance, code, stateDiff }) => [
      address,
      {
        balance: balance === undefined ? undefined : numberToHex(balance),
        code,
        stateDiff: stateDiff && Object.fromEntries(stateDiff.map(({ slot, value }) => [slot, value])),
      },
    ]),
  );
}
