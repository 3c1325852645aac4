import * as testing from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(testing).sort()).toMatchInlineSnapshot(`
    [
      "KilledError",
      "RpcFailure",
      "anvilKey",
      "buildIntentEnvelope",
      "buildRankedVault",
      "childProcesses",
      "descendantProcesses",
      "isRunning",
      "listen",
      "mortal",
      "recordRequests",
      "signIntent",
      "startAnvil",
      "startFakeRpc",
      "startLogNode",
      "startRpcProxy",
      "startTcpProxy",
      "testAccount",
      "testKey",
      "untilEnded",
    ]
  `);
});
