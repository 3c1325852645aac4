import { Counter, Registry } from 'prom-client';
import { serveMetrics } from './serve-metrics.js';

it('behavior: health at /health where it is given', async () => {
  const { port, close } = await serveMetrics(new Registry(), { host: '127.0.0.1', port: 0 }, () => ({
    status: 'ok',
  }));
  expect(await (await fetch(`http://127.0.0.1:${port}/health`)).json()).toEqual({ status: 'ok' });
  close();
});

it('default: Prometheus text at /metrics, and nothing else', async () => {
  const registry = new Registry();
  new Counter({ name: 'x_total', help: 'Some.', registers: [registry] }).inc(3);
  const { port, close } = await serveMetrics(registry, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).toContain('x_total 3');
  expect((await fetch(`${url}/health`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  close();
  await expect(fetch(`${url}/metrics`)).rejects.toThrow();
});
