import { isProbe, requestIdOf, requestLogLevel } from './request.js';

describe('requestIdOf', () => {
  it('default: repeats a safe id', () => {
    expect(requestIdOf({ headers: { 'x-request-id': 'a-b_c.d:1' } })).toBe('a-b_c.d:1');
  });

  it.each([undefined, '', 'a b', 'a\nb', 'x'.repeat(129)])('behavior: makes one instead of %p', (given) => {
    const made = requestIdOf({ headers: given === undefined ? {} : { 'x-request-id': given } });
    expect(made).toMatch(/^[0-9a-f]{8}-/);
  });
});

const routed = (url: string | undefined) => ({ routeOptions: { url } }) as Parameters<typeof isProbe>[0];

describe('requestLogLevel', () => {
  it.each(['/health', '/health/ready', '/metrics'])('behavior: %s is a probe, at level debug', (url) => {
    expect(isProbe(routed(url))).toBe(true);
    expect(requestLogLevel(routed(url))).toBe('debug');
  });

  it.each(['/v1/yield/discover', '*', undefined])('behavior: %s is logged at level info', (url) => {
    expect(isProbe(routed(url))).toBe(false);
    expect(requestLogLevel(routed(url))).toBe('info');
  });
});
