import { buildDeposit } from '../support/build-requests.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError } from '../support/expect-error.js';
import { startServer } from '../support/start-server.js';

describe('request deadline', () => {
  it('error: UpstreamUnavailableError once the deadline of a request is over', async () => {
    const settings = buildSettings();
    const server = await startServer({
      settings: { server: { ...settings.server, requestTimeoutSeconds: 0.05 } },
      features: { intents: { prepare: () => new Promise(() => undefined) } },
    });
    const response = await server.post('/v1/yield/prepare', buildDeposit());
    expect(expectError(response, 503, 'UPSTREAM_UNAVAILABLE').details).toEqual({
      dependency: 'request-deadline',
    });
    expect(response.headers['retry-after']).toBe('5');
    await server.close();
  });
});
