import * as testing from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(testing).sort()).toMatchInlineSnapshot(`
    [
      "KilledError",
      "RpcFailure",
      "anvilKey",
      "buildIntentEnvelope",
      "buildRankedVault",
      "bundlerProfiles",
      "childProcesses",
      "descendantProcesses",
      "imitateBundler",
      "isRunning",
      "killable",
      "listen",
      "providerProfiles",
      "recordRequests",
      "signIntent",
      "startAnvil",
      "startFakeBundler",
      "startFakeRpc",
      "startLogNode",
      "startProviderProxy",
      "startRpcProxy",
      "startTcpProxy",
      "testAccount",
      "testKey",
      "untilEnded",
    ]
  `);
});
