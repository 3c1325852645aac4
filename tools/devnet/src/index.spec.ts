import * as devnet from './index.js';

describe('public surface', () => {
  it('default: exports exactly these names', () => {
    expect(Object.keys(devnet).sort()).toEqual([
      'PortTakenError',
      'activeBase',
      'bundlerAccounts',
      'chainVariables',
      'depositThroughBundler',
      'devnetChainIds',
      'facilitatorKey',
      'fundWallet',
      'readProgress',
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
