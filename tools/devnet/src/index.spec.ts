import * as devnet from './index.js';

describe('public surface', () => {
  it('default: exports exactly these names', () => {
    expect(Object.keys(devnet).sort()).toEqual([
      'PortTakenError',
      'activeBase',
      'bundlerAccounts',
      'chainVariables',
      'depositThroughBundler',
      'facilitatorKey',
      'fundWallet',
      'runThroughBundler',
      'setUpWallet',
      'startApp',
      'startBundler',
      'startDevnet',
      'startForkService',
      'startServer',
    ]);
  });
});
