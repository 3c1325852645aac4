import { createAgentClient, MalformedResponseError } from '../../src/index.js';

it('attack: an endless response is read up to 16 MiB', async () => {
  let sentMiB = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sentMiB += 1;
        controller.enqueue(new Uint8Array(2 ** 20));
      },
    });
  const fetch = () => Promise.resolve(new Response(endless()));
  const client = createAgentClient({ baseUrl: 'http://service.test', retries: 0, fetch });
  await expect(client.discover()).rejects.toBeInstanceOf(MalformedResponseError);
  expect(sentMiB).toBeLessThanOrEqual(18);
});
