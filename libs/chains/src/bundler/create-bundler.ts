import { isNamed, UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { numberToHex, type PublicClient, type StateOverride } from 'viem';
import {
  formatUserOperationReceipt,
  formatUserOperationRequest,
  type RpcUserOperationReceipt,
} from 'viem/account-abstraction';
import { asUpstreamError } from '../as-upstream-error.js';
import type { ChainConfig } from '../config/chain-schema.js';
import { createJsonRpc } from '../rpc/create-json-rpc.js';
import type { UpstreamObserver } from '../rpc/guard-transport.js';
import { classifyOperationSend } from '../send-outcome.js';
import { asBundlerRejection } from './as-bundler-rejection.js';
import { BundlerRejection } from './bundler-rejection.js';
import type { Bundler, SendOutcome } from './bundler.js';
import { bundlerSchemas } from './wire-schemas.js';

const methodNotFound = -32601;

/**
 * Make the client of a chain's bundler.
 *
 * @param rpc - source of fees when the bundler has no method for them
 */
export function createBundler(
  key: string,
  config: ChainConfig,
  url: string,
  rpc: PublicClient,
  observer?: UpstreamObserver,
): Bundler {
  const { entryPoint, deadlines } = config;
  const guard = { dependency: `bundler:${key}`, deadlineMs: deadlines.bundlerMs, observer };
  const request = createJsonRpc(url, guard, asBundlerRejection);

  async function send(userOp: UserOperation): Promise<SendOutcome> {
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

  return {
    chainId: () => request(bundlerSchemas.chainId, 'eth_chainId'),
    supportedEntryPoints: () => request(bundlerSchemas.entryPoints, 'eth_supportedEntryPoints'),
    gasPrice: async (nodeFees) => {
      try {
        return (await request(bundlerSchemas.gasPrice, 'pimlico_getUserOperationGasPrice')).standard;
      } catch (error) {
        if (!(isNamed<BundlerRejection>(error, 'BundlerRejection') && error.bundlerCode === methodNotFound))
          throw error;
      }
      try {
        const { maxFeePerGas, maxPriorityFeePerGas } = await (nodeFees ?? rpc.estimateFeesPerGas());
        return { maxFeePerGas, maxPriorityFeePerGas };
      } catch (error) {
        throw asUpstreamError(error, `rpc:${key}`) ?? error;
      }
    },
    estimate: (userOp, stateOverride) =>
      request(bundlerSchemas.gas, 'eth_estimateUserOperationGas', [
        formatUserOperationRequest(userOp),
        entryPoint,
        ...(stateOverride ? [toRpcStateOverride(stateOverride)] : []),
      ]),
    send,
    receipt: async (userOpHash) => {
      const response = await request(bundlerSchemas.receipt, 'eth_getUserOperationReceipt', [userOpHash]);
      if (response === null) return null;
      // The schema has checked the fields that are read; viem turns their numbers into bigint.
      return formatUserOperationReceipt(response as unknown as RpcUserOperationReceipt);
    },
    status: (userOpHash) =>
      request(bundlerSchemas.status, 'pimlico_getUserOperationStatus', [userOpHash]).catch(() => undefined),
  };
}

function toRpcStateOverride(overrides: StateOverride): Record<string, unknown> {
  return Object.fromEntries(
    overrides.map(({ address, balance, code, stateDiff }) => [
      address,
      {
        ...(balance === undefined ? {} : { balance: numberToHex(balance) }),
        ...(code === undefined ? {} : { code }),
        ...(stateDiff === undefined
          ? {}
          : { stateDiff: Object.fromEntries(stateDiff.map(({ slot, value }) => [slot, value])) }),
      },
    ]),
  );
}
