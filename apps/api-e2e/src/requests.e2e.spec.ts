import { createApiClient, jsonPost } from '../test/support/api-client.js';
import { sharedServer } from '../test/support/devnet.js';
import { readOperations } from '../test/support/read-operations.js';

const url = sharedServer('forked');

it('default: health has its documented type', async () => {
  const { status, body } = await (await createApiClient(url)).call('GET', '/health');
  expect([status, body]).toMatchObject([
    200,
    {
      status: 'ok',
      environment: 'local',
      preflightMode: 'enforce',
      paymentEnforcement: 'off',
      chains: { base: { chainId: 8453, rpc: 'ok', bundler: 'ok' }, ethereum: { chainId: 1 } },
    },
  ]);
});

it('behavior: the examples of /openapi.json respond 200; those of signed requests and of their intent show the form only', async () => {
  const operations = readOperations(await (await fetch(`${url}/openapi.json`)).json());
  const pressed = operations.filter(
    ({ path }) => !/\/(execute|setup-relay|gasless-setup|intents\/0x\w+)$/.test(path),
  );
  expect(pressed.length).toBeGreaterThan(12);
  // The calls of a deposit need a wallet that has the amount.
  const isFunding = ({ path }: (typeof pressed)[number]) => path.endsWith('/fund-wallet');
  const inOrder = [...pressed.filter(isFunding), ...pressed.filter((each) => !isFunding(each))];
  const refused = [];
  for (const { method, path, body } of inOrder) {
    const response = await fetch(`${url}${path}`, method === 'POST' ? jsonPost(body) : {});
    if (response.status !== 200) refused.push({ method, path, body, text: await response.text() });
  }
  expect(refused).toEqual([]);
});
