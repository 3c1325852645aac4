import type { OpenAPIObject } from '@nestjs/swagger';

/** Describe the service for agents from its OpenAPI document: a title, a summary in a quote, then sections. */
export function llmsText({ info, tags = [], paths }: OpenAPIObject): string {
  const operations = Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get ? [{ ...get, route: `GET ${path}` }] : []),
    ...(post ? [{ ...post, route: `POST ${path}` }] : []),
  ]);
  const sections = tags.flatMap(({ name, description = '' }) => [
    '',
    `### ${name}: ${description}`,
    '',
    ...operations
      .filter((operation) => operation.tags?.includes(name))
      .map(({ route, summary }) => `- \`${route}\`: ${summary ?? ''}`),
  ]);
  const [summary = '', ...rest] = (info.description ?? '').split('\n\n');
  return [
    `# ${info.title}`,
    '',
    `> ${summary.replaceAll('\n', ' ')}`,
    '',
    rest.join('\n\n'),
    '',
    '## Endpoints',
    ...sections,
    '',
    '## Links',
    '',
    '- [OpenAPI document](/openapi.json): every field of every request and response',
    '- [Swagger UI](/docs): the same for people, with examples to send',
    '- [Page](/): ranking, curves and scores of the vaults',
    '',
  ].join('\n');
}
