import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsModule from 'ajv-formats';

/** The schemas of the OpenAPI document, to check responses. */
export interface Contract {
  /** Problems of a response; `[]` when there are none. */
  problems(method: string, path: string, status: number, contentType: string, body: string): unknown;
}

interface Documented {
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>;
}

/** Read the promises of a document. */
export function createContract(document: OpenAPIObject): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formatsModule.default(ajv);
  ajv.addSchema(document, 'service');
  // The paths that are spelt out before those with parameters.
  const patterns = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    }));

  return {
    problems(method, path, status, contentType, body) {
      const template = patterns.find(({ pattern }) => pattern.test(path))?.template;
      if (template === undefined) return status === 404 ? [] : `${path} is not documented`;
      const item = document.paths[template] as Record<string, Documented | undefined>;
      const operation = item[method.toLowerCase()];
      if (operation === undefined && status === 404) return [];
      const response = operation?.responses[String(status)];
      if (response === undefined) return `${method} ${template} does not document ${status}`;
      if (response.content === undefined) return body === '' ? [] : 'a response without content has some';
      const [type = ''] = contentType.split(';');
      if (!(type in response.content)) return `${type} is not documented`;
      if (type !== 'application/json') return [];
      const steps = [
        'paths',
        template,
        method.toLowerCase(),
        'responses',
        String(status),
        'content',
        type,
        'schema',
      ];
      const place = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
      const validate = ajv.compile({ $ref: `service#/${place.join('/')}` });
      return validate(JSON.parse(body)) ? [] : validate.errors;
    },
  };
}
