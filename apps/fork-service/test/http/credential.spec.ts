import { fakeProvider } from '../support/fake-provider.js';
import { expectError } from '../support/expect-error.js';
import { credential, startService, type TestService } from '../support/start-service.js';

const provider = fakeProvider();
let service: TestService;
beforeAll(async () => {
  service = await startService(provider);
});
afterAll(() => service.close());

const wrong: readonly (readonly [name: string, authorization: string | undefined])[] = [
  ['an empty one', ''],
  ['a wrong one', `Bearer ${credential.replace(/.$/, 'x')}`],
  ['a longer one', `Bearer ${credential}x`],
  ['a shorter one', `Bearer ${credential.slice(0, -1)}`],
  ['another scheme', `Basic ${Buffer.from(`operator:${credential}`).toString('base64')}`],
  ['no scheme', credential],
  ['two', `Bearer ${credential} ${credential}`],
];

describe('credential', () => {
  // document.spec.ts shows which routes need it.
  it('error: UnauthorizedError without it, and nothing is done', async () => {
    const body = { chain: 'base', kind: 'persistent' };
    const answer = await service.call('POST', '/v1/forks', body, { authorization: undefined });
    expectError(answer, 401, 'UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(provider.asked).toEqual([]);
  });

  it.each(wrong)('error: UnauthorizedError with %s', async (_name, authorization) => {
    expectError(await service.call('GET', '/v1/forks', undefined, { authorization }), 401, 'UNAUTHORIZED');
  });

  it('behavior: the scheme is read in any case', async () => {
    const { status } = await service.call('GET', '/v1/forks', undefined, {
      authorization: `bearer ${credential}`,
    });
    expect(status).toBe(200);
  });

  it('behavior: bad input is not looked at before the credential', async () => {
    const answer = await service.call('POST', '/v1/forks', undefined, {
      authorization: 'Bearer nothing',
      raw: '{',
    });
    expectError(answer, 401, 'UNAUTHORIZED');
  });

  it.each(['/health', '/docs-json'])('behavior: %s needs none', async (path) => {
    const response = await fetch(`${service.url}${path}`);
    expect(response.status).toBe(200);
  });

  it('behavior: no log line has it', () => {
    expect(service.logged.length).toBeGreaterThan(10);
    expect(service.logged.join('')).not.toContain(credential);
  });
});
