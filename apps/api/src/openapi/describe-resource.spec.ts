import { encodePaymentRequiredHeader } from '@x402/core/http';
import { validateDiscoveryExtension, type DiscoveryExtension } from '@x402/extensions/bazaar';
import type { OpenAPIObject } from '@nestjs/swagger';
import { pricedRoutes } from '../http/priced.decorator.js';
import { describeResource } from './describe-resource.js';
import { generateDocument } from './generate-document.js';

let document: OpenAPIObject;
beforeAll(async () => {
  document = await generateDocument();
});

const routes = Object.values(pricedRoutes);
const paths = routes.map(({ path }) => path);
const cases = routes.flatMap((route) =>
  (['outline', 'full'] as const).map((detail) => ({ ...route, detail })),
);

const bazaarOf = (path: string, detail: 'outline' | 'full') =>
  describeResource(document, path, detail).extensions['bazaar'] as DiscoveryExtension;

describe('describeResource', () => {
  it.each(cases)('default: $path ($detail) is a valid discovery extension', ({ path, method, detail }) => {
    const bazaar = bazaarOf(path, detail);
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true });
    expect(bazaar.info.input).toMatchObject({
      type: 'http',
      method,
      ...(method === 'POST' && { bodyType: 'json' }),
    });
    expect(JSON.stringify(bazaar)).not.toContain('$ref');
  });

  it.each(paths)('behavior: %s rejects an input that the route rejects', (path) => {
    const bazaar = structuredClone(bazaarOf(path, 'full'));
    Object.assign(bazaar.info.input, { body: { unknown: 1 }, queryParams: { unknown: 1 } });
    expect(validateDiscoveryExtension(bazaar).valid).toBe(false);
  });

  it.each(paths)('behavior: the outline of %s fits into the header buffer of a proxy (4 KiB)', (path) => {
    const { extensions } = describeResource(document, path, 'outline');
    const resource = { url: `https://api.example.org${path}`, description: '', mimeType: 'application/json' };
    const header = encodePaymentRequiredHeader({ x402Version: 2, resource, accepts: [], extensions });
    // Terms of two chains take about 700 bytes.
    expect(header.length).toBeLessThan(3_300);
  });

  it('error: a route that is not documented', () => {
    expect(() => describeResource(document, '/v1/yield/unknown', 'full')).toThrow('not documented');
  });
});
