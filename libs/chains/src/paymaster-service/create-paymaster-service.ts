import { UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { isAddressEqual, numberToHex } from 'viem';
import { formatUserOperationRequest } from 'viem/account-abstraction';
import { asBundlerRejection } from '../bundler/as-bundler-rejection.js';
import type { ChainConfig } from '../config/chain-schema.js';
import type { PaymasterConfig } from '../config/gas-schema.js';
import { createJsonRpc } from '../rpc/create-json-rpc.js';
import type { UpstreamObserver } from '../rpc/guard-transport.js';
import type { PaymasterService } from './paymaster-service.js';
import { serviceSchemas } from './service-schemas.js';

const retryAfterSeconds = 30;

/** Make the client of a chain's ERC-7677 paymaster service. */
export function createPaymasterService(
  key: string,
  { chainId, entryPoint, deadlines }: ChainConfig,
  { url, context }: Extract<PaymasterConfig, { kind: 'erc7677' }>,
  observer?: UpstreamObserver,
): PaymasterService {
  const dependency = `paymaster:${key}`;
  const refusal = (cause?: unknown) =>
    new UpstreamUnavailableError({
      detail: `${dependency}: the service refuses this operation now.`,
      details: { dependency },
      retryAfterSeconds,
      cause,
    });
  const request = createJsonRpc(url, { dependency, deadlineMs: deadlines.bundlerMs, observer }, (error) => {
    const rejection = asBundlerRejection(error);
    return rejection && refusal(rejection);
  });
  const paramsOf = (userOp: UserOperation) => [
    formatUserOperationRequest(userOp),
    entryPoint,
    numberToHex(chainId),
    context,
  ];

  return {
    stubData: (userOp) => request(serviceSchemas.stubData, 'pm_getPaymasterStubData', paramsOf(userOp)),
    data: (userOp) => request(serviceSchemas.data, 'pm_getPaymasterData', paramsOf(userOp)),
    tokenQuote: async (token) => {
      const params = [{ tokens: [token] }, entryPoint, numberToHex(chainId)];
      const { quotes } = await request(serviceSchemas.tokenQuotes, 'pimlico_getTokenQuotes', params);
      const quote = quotes.find((other) => isAddressEqual(other.token, token));
      if (!quote) throw refusal();
      return quote;
    },
  };
}
