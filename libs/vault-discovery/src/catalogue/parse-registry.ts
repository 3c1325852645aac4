import { RegistryError } from '../errors.js';
import type { RegistryEntry } from '../types.js';
import { registrySchema } from './registry-schema.js';

/**
 * Parse the content of a registry file.
 *
 * @throws {RegistryError} listing every problem, a vault that stands in it twice included
 *
 * @example
 * parseRegistry(JSON.parse(readFileSync('registry.json', 'utf8')));
 */
export function parseRegistry(json: unknown): RegistryEntry[] {
  const parsed = registrySchema.safeParse(json);
  if (!parsed.success)
    throw new RegistryError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`),
    );
  const seen = new Set<string>();
  const twice = parsed.data.vaults.flatMap((vault) => {
    const key = `${vault.chainId} ${vault.address}`;
    const problem = seen.has(key)
      ? [`${vault.name}: ${vault.address} is listed twice on ${vault.chain}`]
      : [];
    seen.add(key);
    return problem;
  });
  if (twice.length > 0) throw new RegistryError(twice);
  return parsed.data.vaults;
}
