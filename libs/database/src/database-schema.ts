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

/** PostgreSQL by URL, or the embedded database in a directory. A file may name both; the URL wins. */
export const databaseSchema = z
  .strictObject({ url: postgresUrl.optional(), directory: z.string().optional() })
  .transform(({ url, directory }, context): { readonly url: string } | { readonly directory: string } => {
    if (url !== undefined) return { url };
    if (directory !== undefined) return { directory };
    context.addIssue({ code: 'custom', message: 'needs a url or a directory' });
    return z.NEVER;
  });
