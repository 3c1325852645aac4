import { readFileSync } from 'node:fs';
import { ConfigError } from '@yield-vault/protocol';

// A default may hold a reference of its own.
const reference = /\$\{([A-Z][A-Z0-9_]*)(:-((?:\$\{[^}]*\}|[^}])*))?\}/g;

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings with environment variables filled in, and their problems. */
export interface Interpolated {
  readonly value: unknown;
  /** By the place of the setting. */
  readonly missing: ReadonlyMap<string, string>;
}

/**
 * Read a variable, or the file that `<name>_FILE` names: Docker and Kubernetes mount secrets as files. Empty variables
 * count as absent.
 *
 * @throws {ConfigError} when both are set, or the file is empty or cannot be read
 */
export function readVariable(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name] || undefined;
  try {
    if (env[name]) throw new Error(`${name} is set, too`);
    const text = readFileSync(file, 'utf8').trim();
    if (text === '') throw new Error('the file is empty');
    return text;
  } catch (error) {
    throw new ConfigError('The environment', [`${name}_FILE cannot be used: ${(error as Error).message}`]);
  }
}

/**
 * Replace `${NAME}` and `${NAME:-default}`, as {@link readVariable} reads them, in every text of a settings tree. It works on the parsed tree, so that
 * the content of a variable can never become YAML. A setting that ends up empty is left out.
 */
export function interpolate(tree: unknown, env: Environment): Interpolated {
  const missing = new Map<string, string>();

  const fillReferences = (text: string, path: readonly PropertyKey[]): string =>
    text.replace(reference, (_, name: string, hasDefault?: string, fallback = '') => {
      try {
        const value = readVariable(env, name);
        if (value !== undefined) return value;
        if (hasDefault === undefined)
          missing.set(formatPath(path), `environment variable ${name} is not set`);
      } catch (error) {
        missing.set(formatPath(path), (error as ConfigError).problems.join());
      }
      return fillReferences(fallback as string, path);
    });

  const fillText = (text: string, path: readonly PropertyKey[]): string | undefined => {
    const filled = fillReferences(text, path);
    return filled === '' && text !== '' ? undefined : filled;
  };

  const fill = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof node === 'string') return fillText(node, path);
    if (Array.isArray(node)) {
      return node.map((item, index) => fill(item, [...path, index])).filter((item) => item !== undefined);
    }
    if (node === null || typeof node !== 'object') return node;
    const entries = Object.entries(node).map(([key, value]) => [key, fill(value, [...path, key])] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };

  return { value: fill(tree, []), missing };
}

/** Write the place of a setting as a reader would: `chains.base.rpcUrls[0]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
