import { generateDocument } from '../openapi/generate-document.js';
import { errorsPage } from './errors-page.js';

/** Generate the committed reference files: name below `docs/` to content. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    'openapi.json': `${JSON.stringify(await generateDocument(), null, 2)}\n`,
    'errors.md': errorsPage(),
  };
}
