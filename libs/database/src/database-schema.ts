import { z } from 'zod';

/**
 * Where a PostgreSQL database is, in the forms of node-postgres: a URL whose host may be left out in favour of a `host`
 * parameter, `socket:/folder?db=name`, or `/folder name`.
 */
const postgresUrl = z
  .string()
  .refine(
    (text) =>
      /^\/\S+( \S+)?$/.test(text) ||
      (/^(postgres(ql)?:\/\/|socket:\/)/i.test(text) && URL.canParse(text.replace('@/', '@localhost/'))),
    'must be a postgres:// URL, with special characters in the password percent-encoded',
  );

// A number, or its text from the environment.
const positive = z.coerce.number().pipe(z.int().positive());

type DatabaseSettings =
  | {
      readonly url: string;
      readonly maxConnections: number;
      readonly connectionTimeoutMs: number;
      readonly statementTimeoutMs: number;
    }
  | { readonly directory: string };

/** PostgreSQL by URL, or the embedded database in a directory. A file may name both; the URL wins. */
export const databaseSchema = z
  .strictObject({
    url: postgresUrl.optional(),
    directory: z.string().optional(),
    /** Of the pool of one process; two more for its locks. */
    maxConnections: positive.default(10),
    connectionTimeoutMs: positive.default(5_000),
    statementTimeoutMs: positive.default(30_000),
  })
  .transform(({ url, directory, ...limits }, context): DatabaseSettings => {
    if (url !== undefined) return { url, ...limits };
    if (directory !== undefined) return { directory };
    context.addIssue({ code: 'custom', message: 'needs a url or a directory' });
    return z.NEVER;
  });
