import { HttpRequestError, RpcRequestError, TransactionRejectedRpcError } from 'viem';
import { asRefusal } from './broadcast.js';

const url = 'http://node';

const answered = (code: number, message: string) =>
  new TransactionRejectedRpcError(new RpcRequestError({ body: {}, error: { code, message }, url }));

describe('asRefusal', () => {
  it.each([
    [-32000, 'insufficient funds for gas * price + value', 'INSUFFICIENT_FUNDS'],
    [-32000, 'max fee per gas less than block base fee', 'FEE_TOO_LOW'],
    [-32000, 'intrinsic gas too low', 'GAS_LIMIT_TOO_LOW'],
    [-32000, 'gas limit reached', 'GAS_LIMIT_TOO_HIGH'],
    [-32003, 'transaction type not valid for this chain', 'REFUSED_BY_NODE'],
  ])('default: %d "%s" is %s', (code, message, reason) => {
    expect(asRefusal(answered(code, message))).toMatchObject({
      code: 'SETUP_TRANSACTION_REJECTED',
      details: { failedCheck: 'tx-broadcast', reason },
    });
  });

  it.each([
    [-32003, 'already known'],
    [-32003, 'nonce too low'],
    [-32003, 'replacement transaction underpriced'],
    [-32003, 'in-flight transaction limit reached for delegated accounts'],
    [-32000, 'request timed out'],
    [-32603, 'internal error'],
    [-32005, 'too many requests'],
  ])('behavior: after %d "%s" the node may have the transaction', (code, message) => {
    expect(asRefusal(answered(code, message))).toBeUndefined();
  });

  it('behavior: a gateway that fails decides nothing, whatever its page says', () => {
    const error = new HttpRequestError({ url, status: 502, details: 'insufficient funds' });
    expect(asRefusal(error)).toBeUndefined();
  });
});
