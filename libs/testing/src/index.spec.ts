import * as testing from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(testing).sort()).toMatchInlineSnapshot(`
    [
      "KilledError",
      "RpcFailure",
      "anvilKey",
      "buildIntentEnvelope",
      "buildListedVault",
      "childProcesses",
      "descendantProcesses",
      "isRunning",
      "mortal",
      "signIntent",
      "startAnvil",
      "startFakeRpc",
      "startRpcProxy",
      "startTcpProxy",
      "startTenderlyEmulator",
      "testAccount",
      "testKey",
      "untilEnded",
    ]
  `);
});
