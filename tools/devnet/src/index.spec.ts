import * as devnet from './index.js';

describe('public surface', () => {
  it('default: exports exactly these names', () => {
    expect(Object.keys(devnet).sort()).toEqual([
      'PortTakenError',
      'activeBase',
      'bundlerAccounts',
      'createDifficultVaults',
      'depositThroughBundler',
      'devnetChainIds',
      'donateToVault',
      'facilitatorKey',
      'fundWallet',
      'readProgress',
      'realiseLoss',
      'runThroughBundler',
      'setPaused',
      'setRoom',
      'setUpWallet',
      'startBundler',
      'startDevnet',
      'startForkService',
      'startServer',
    ]);
  });
});
