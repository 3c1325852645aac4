import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { HttpRequestError, RawContractError } from 'viem';
import { chains } from '../../test/build-order.js';
import { readingOf, required } from './reading.js';

const chain = chains.require('base');
const paused = new RawContractError({ data: '0xd93c0665' });
const outage = new HttpRequestError({ url: 'http://127.0.0.1:1', status: 500 });

describe('readingOf', () => {
  it('default: a value, or why there is none', () => {
    expect(readingOf({ result: 5n }, chain)).toEqual({ value: 5n });
    expect(readingOf({ error: paused }, chain)).toEqual({ revertReason: 'EnforcedPause' });
    expect(readingOf({ error: new RawContractError({}) }, chain)).toEqual({ revertReason: 'NO_REASON' });
  });

  it('error: UpstreamUnavailableError', () => {
    expect(() => readingOf({ error: outage }, chain)).toThrow(UpstreamUnavailableError);
  });

  it('error: what is no answer of a chain passes through', () => {
    const mistake = new TypeError('x');
    expect(() => readingOf({ error: mistake }, chain)).toThrow(mistake);
  });
});

describe('required', () => {
  it('default: zero is an answer', () => {
    expect(required({ result: 0n }, chain)).toBe(0n);
  });

  it('error: UpstreamUnavailableError for an outage, the error itself otherwise', () => {
    expect(() => required({ error: outage }, chain)).toThrow(UpstreamUnavailableError);
    expect(() => required({ error: paused }, chain)).toThrow(paused);
  });
});
