import { intrinsicGas } from './sendable.js';

describe('intrinsicGas', () => {
  it('default: call data and authorizations', () => {
    const authorization = {} as never;
    expect(intrinsicGas({ data: '0x', authorizationList: [] })).toBe(21_000n);
    expect(intrinsicGas({ data: '0x0001', authorizationList: [authorization] })).toBe(46_020n);
  });

  it('behavior: the floor of call data', () => {
    expect(intrinsicGas({ data: '0x0001', authorizationList: [] })).toBe(21_050n);
  });
});
