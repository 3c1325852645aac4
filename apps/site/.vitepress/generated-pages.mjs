// Pages that are no Markdown in the repository.
const languages = { sh: 'sh', py: 'python', mjs: 'js' };

/** Show the example programs. */
export const examplesPage = (files) =>
  [
    '# Examples',
    'Each program runs the whole flow against the local deployment (`npm start`).',
    ...files.flatMap(([name, text]) => [
      `## ${name}`,
      `\`\`\`${languages[name.split('.').at(-1)]}\n${text.trim()}\n\`\`\``,
    ]),
    '',
  ].join('\n\n');

/** List the operations of an OpenAPI document. */
export function referencePage({ tags, paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      route: `${method.toUpperCase()} ${path}`,
    })),
  );
  const fieldsOf = ({ parameters = [], requestBody }) => {
    const ref = requestBody?.content['application/json'].schema.$ref;
    const { properties = {}, required = [] } = (ref && components.schemas[ref.split('/').at(-1)]) ?? {};
    return [
      ...parameters.filter(({ in: place }) => place !== 'header'),
      ...Object.entries(properties).map(([name, { description }]) => ({
        name,
        description,
        required: required.includes(name),
      })),
    ].map(
      ({ name, description = '', required: isRequired }) =>
        `- \`${name}\`${isRequired ? '' : ' (optional)'}${description && `: ${description}`}`,
    );
  };
  return [
    '# API reference',
    'Swagger UI has every field of each response, and sends requests. <a href="../openapi.json" target="_self">openapi.json</a> is the document behind both.',
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      ...operations
        .filter((operation) => operation.tags.includes(name))
        .flatMap(({ route, summary, description: text = '', operationId, ...operation }) => [
          `### ${route}`,
          `${summary}. ${text}`.replaceAll('<', '&lt;'),
          fieldsOf(operation).join('\n').replaceAll('<', '&lt;'),
          `<a href="../docs/#/${name}/${operationId}" target="_self">${summary} in Swagger UI</a>`,
        ]),
    ]),
    '',
  ].join('\n\n');
}
