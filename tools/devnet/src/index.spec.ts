import * as devnet from './index.js';

describe('public surface', () => {
  it('default: exports exactly these names', () => {
    expect(Object.keys(devnet).sort()).toEqual([
      'PortTakenError',
      'activeBase',
      'bundlerAccounts',
      'depositThroughBundler',
      'devnetChainIds',
      'facilitatorKey',
      'fundWallet',
      'readProgress',
      'runThroughBundler',
      'setUpWallet',
      'startBundler',
      'startDevnet',
      'startForkService',
      'startServer',
    ]);
  });
});
