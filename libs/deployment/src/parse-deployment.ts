import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { ConfigError } from '@yield-vault/protocol';
import { deploymentSchema, type Deployment } from './deployment-schema.js';
import { formatPath, interpolate } from './interpolate.js';

/**
 * Parse a deployment file: fill in the environment, check everything at once, freeze the result.
 *
 * @param yamlText - content of the file
 * @param env - environment variables; `${NAME}` and `${NAME:-default}` in the file refer to them
 * @param file - its path, which errors name; relative paths in it are resolved against its folder
 * @throws {ConfigError} with every problem of the file
 */
export function parseDeployment(
  yamlText: string,
  env: Readonly<Record<string, string | undefined>>,
  file?: string,
): Deployment {
  const refuse = (problems: readonly string[]) => new ConfigError(file ?? 'The deployment file', problems);
  const document = parseDocument(yamlText);
  if (document.errors.length > 0) throw refuse(document.errors.map((e) => e.message));

  const { value, missing } = interpolate(document.toJS(), env);
  const result = deploymentSchema.safeParse(value, { reportInput: true });
  const schemaProblems = result.success ? [] : result.error.issues.flatMap(describeIssue);
  const problems = [...[...missing].map(([path, message]) => ({ path, message })), ...schemaProblems];
  if (!result.success || problems.length > 0) {
    // A missing variable leaves a hole that the schema reports again in other words.
    const isEcho = ({ path }: Problem) => [...missing.keys()].some((place) => place.startsWith(path));
    const distinct = problems.filter((p, index) => index < missing.size || !isEcho(p));
    throw refuse(distinct.map(({ path, message }) => `${path}: ${message}`));
  }
  return deepFreeze(file === undefined ? result.data : withAbsolutePaths(result.data, dirname(file)));
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

function describeIssue(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: formatPath([...issue.path, key]), message: 'unknown setting' }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path: formatPath(issue.path), message }));
  }
  const path = formatPath(issue.path) || 'file';
  const isAbsent = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ path, message: isAbsent ? 'is required' : issue.message }];
}

function withAbsolutePaths(deployment: Deployment, directory: string): Deployment {
  const { database, discovery } = deployment;
  return {
    ...deployment,
    database: 'directory' in database ? { directory: resolve(directory, database.directory) } : database,
    discovery:
      discovery.registryFile === undefined
        ? discovery
        : { ...discovery, registryFile: resolve(directory, discovery.registryFile) },
  };
}

/** Freeze a tree of plain objects and arrays. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
