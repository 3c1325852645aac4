import { isProbe, requestLogLevel } from './request-log-level.js';

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
