import * as z from 'zod';
import { answers, definitions, type Endpoint } from '../generated/answers.js';
import { firstProblem } from '../verify/wire-values.js';

type Issue = z.core.$ZodIssue;

const schemas = new Map<Endpoint, z.ZodType>();

/**
 * Say what is wrong with the body of an answer, by the interface's own description of it.
 *
 * @returns where and why, without what the body says; `undefined` when it is in order
 */
export function problemOf(endpoint: Endpoint, body: unknown): string | undefined {
  const { error } = schemaOf(endpoint).safeParse(body);
  if (!error) return undefined;
  const { field, detail } = firstProblem(new z.ZodError(error.issues.map(closest)));
  return `${field || 'the body'}: ${detail}`;
}

function schemaOf(endpoint: Endpoint): z.ZodType {
  const known = schemas.get(endpoint);
  if (known) return known;
  const schema = z.fromJSONSchema({
    ...answers[endpoint],
    $defs: definitions,
  } as z.core.JSONSchema.JSONSchema);
  schemas.set(endpoint, schema);
  return schema;
}

/** Of several variants, none of which fits, speak of the one with the fewest problems. */
function closest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const [fewest] = issue.errors.toSorted((one, other) => one.length - other.length);
  const [first] = fewest ?? [];
  if (!first) return issue;
  const inner = closest(first);
  return { ...inner, path: [...issue.path, ...inner.path] };
}
