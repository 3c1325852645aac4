import { authorizationTypes } from '@x402/evm';
import { recoverTypedDataAddress } from 'viem';
import { buildChallenge } from '../src/x402-messages.js';
import { readPayment } from '../src/read-payment.js';
import { buildResource } from './support/build-resource.js';
import legacy from './vectors/x402-v1.json' with { type: 'json' };

describe('the legacy client of x402 v1', () => {
  it('vector: is offered the terms that it was seen to take', () => {
    const { body } = buildChallenge(buildResource(), 'a request');
    expect(body.accepts).toEqual(legacy.accepts);
  });

  it('vector: its payment is parsed, and signed by its payer', async () => {
    const header = (name: string) => (name === 'X-PAYMENT' ? legacy.header : undefined);
    const reading = readPayment(header, buildResource());
    if (reading.kind !== 'payment') throw new Error(reading.kind);
    const { version, terms, authorization, signature } = reading.payment;
    const { name, version: domainVersion, address } = terms.chain.asset;
    expect([version, terms.network, authorization.value]).toEqual([1, 'eip155:8453', 10_000n]);
    const signer = await recoverTypedDataAddress({
      domain: { name, version: domainVersion, chainId: terms.chain.chainId, verifyingContract: address },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: authorization,
      signature,
    });
    expect([signer, authorization.from]).toEqual([legacy.payer, legacy.payer]);
  });
});
