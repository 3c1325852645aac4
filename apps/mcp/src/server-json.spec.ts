import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const read = (file: string) => JSON.parse(readFileSync(join(__dirname, '..', file), 'utf8')) as unknown;

// The parts of server.schema.json of the MCP registry, version 2025-12-11, that server.json uses.
const variable = z.strictObject({
  name: z.string().regex(/^[A-Z_]+$/),
  description: z.string().min(1),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  placeholder: z.string().optional(),
});
const schema = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  repository: z.strictObject({ url: z.url(), source: z.literal('github'), subfolder: z.string() }),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      registryBaseUrl: z.url(),
      identifier: z.string(),
      version: z.string(),
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(variable),
    }),
  ]),
  _meta: z.strictObject({ 'io.modelcontextprotocol.registry/publisher-provided': z.looseObject({}) }),
});

describe('server.json', () => {
  it('default: has the format of the MCP registry, and names the published package', () => {
    const { name, version, packages } = schema.parse(read('server.json'));
    // The registry checks that the package on npm names the server.
    expect(read('package.json')).toMatchObject({ mcpName: name, version, name: packages[0].identifier });
    expect(packages[0].version).toBe(version);
  });

  it('behavior: every key is marked as secret', () => {
    const [{ environmentVariables }] = schema.parse(read('server.json')).packages;
    for (const { name, isSecret } of environmentVariables)
      expect([name, isSecret ?? false]).toEqual([name, name.endsWith('_KEY')]);
  });
});
