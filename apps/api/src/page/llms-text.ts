import type { OpenAPIObject } from '@nestjs/swagger';

/** A page of the documentation site. */
export interface Guide {
  /** Its Markdown is at `/guides/<name>.md`. */
  readonly name: string;
  readonly title: string;
  readonly group: string;
}

/**
 * Describe the service for agents from its OpenAPI document: a title, a summary in a quote, then sections.
 *
 * @param guides - linked as Markdown
 */
export function llmsText({ info, tags = [], paths }: OpenAPIObject, guides: readonly Guide[]): string {
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
  const groups = new Set(guides.map(({ group }) => group));
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
    '- [Guides](/guides/): this service, its packages and its MCP server, for people',
    ...[...groups].flatMap((group) => [
      '',
      `## ${group}`,
      '',
      ...guides
        .filter((guide) => guide.group === group)
        .map(({ name, title }) => `- [${title}](/guides/${name}.md)`),
    ]),
    '',
  ].join('\n');
}
