import {
  UpstreamUnavailableError,
  type CallsResponse,
  type PrepareExecutionResponse,
  type PrepareRequest,
  type PrepareResponse,
} from '@yield-vault/protocol';
import { buildDeposit } from '../../../test/support/build-requests.js';
import { requireContracts } from './prepare.module.js';

const request = buildDeposit() as unknown as PrepareRequest;
const prepared = (needsSetup: boolean) => ({
  gaslessSetup: () => Promise.resolve({ needsSetup: false } as PrepareExecutionResponse),
  prepare: () => Promise.resolve({ needsSetup } as PrepareResponse),
  calls: () => Promise.resolve({} as CallsResponse),
  estimateCosts: () => Promise.reject(new Error('not used')),
});
const missing = {
  require: () => Promise.reject(new UpstreamUnavailableError({ detail: 'missing' } as never)),
};

describe('requireContracts', () => {
  it('default: returns a setup when its contracts are there', async () => {
    const intents = requireContracts(prepared(true), { require: () => Promise.resolve() });
    expect(await intents.prepare(request)).toEqual({ needsSetup: true });
  });

  it('error: UpstreamUnavailableError instead of a setup', async () => {
    const intents = requireContracts(prepared(true), missing);
    await expect(intents.prepare(request)).rejects.toThrow(UpstreamUnavailableError);
  });

  it('error: UpstreamUnavailableError instead of calls', async () => {
    const intents = requireContracts(prepared(true), missing);
    await expect(intents.calls({} as never)).rejects.toThrow(UpstreamUnavailableError);
  });

  it('error: UpstreamUnavailableError instead of a gasless setup', async () => {
    const intents = requireContracts(prepared(true), missing);
    await expect(intents.gaslessSetup({} as never)).rejects.toThrow(UpstreamUnavailableError);
  });

  it('behavior: checks nothing for a wallet that is set up', async () => {
    const intents = requireContracts(prepared(false), missing);
    expect(await intents.prepare(request)).toEqual({ needsSetup: false });
  });
});
