import {
  ForkNotRunningError,
  SetupTransactionRejectedError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { HttpRequestError, RpcRequestError, TransactionRejectedRpcError } from 'viem';
import { explainRefusal } from './broadcast.js';

const chain = { key: 'base', relayMode: 'chain' } as const;

const url = 'http://node';

function refused(message: string) {
  return new TransactionRejectedRpcError(
    new RpcRequestError({ body: {}, error: { code: -32003, message }, url }),
  );
}

describe('explainRefusal', () => {
  it.each([
    ['nonce too low', 'NONCE_TOO_LOW'],
    ['nonce too high', 'NONCE_TOO_HIGH'],
    ['insufficient funds for gas * price + value', 'INSUFFICIENT_FUNDS'],
    ['max fee per gas less than block base fee', 'FEE_TOO_LOW'],
    ['intrinsic gas too low', 'GAS_LIMIT_TOO_LOW'],
    ['gas limit reached', 'GAS_LIMIT_TOO_HIGH'],
    ['replacement transaction underpriced', 'REFUSED_BY_NODE'],
  ])('default: "%s" is %s', (message, reason) => {
    const error = explainRefusal(refused(message), chain);
    expect(error).toBeInstanceOf(SetupTransactionRejectedError);
    expect(error).toMatchObject({ details: { failedCheck: 'tx-broadcast', reason }, retryable: false });
  });

  it('behavior: a wallet whose last transaction is still waiting may try again', () => {
    const error = explainRefusal(
      refused('in-flight transaction limit reached for delegated accounts'),
      chain,
    );
    expect(error).toMatchObject({ code: 'SETUP_TRANSACTION_REJECTED', retryable: true });
  });

  it('behavior: a node that does not respond is an outage', () => {
    const error = explainRefusal(new HttpRequestError({ url, status: 502 }), chain);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({ details: { dependency: 'rpc:base' } });
  });

  it('behavior: a managed fork that does not respond is not running', () => {
    const fork = { ...chain, relayMode: 'managed-fork' } as const;
    const error = explainRefusal(new HttpRequestError({ url, status: 503 }), fork);
    expect(error).toBeInstanceOf(ForkNotRunningError);
    expect(error).toMatchObject({ details: { chain: 'base' }, retryable: true });
    expect((error as ForkNotRunningError).retryAfterSeconds).toBeGreaterThan(0);
  });

  it('behavior: an error of another kind is unchanged', () => {
    const error = new Error('a bug');
    expect(explainRefusal(error, chain)).toBe(error);
  });
});
