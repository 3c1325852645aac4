import { aaCodes, errorCatalogue } from '@yield-vault/protocol';
import { errorsPage } from './errors-page.js';

describe('errorsPage', () => {
  it('behavior: lists every code of the catalogue and of the EntryPoint', () => {
    const page = errorsPage();
    for (const code of [...Object.keys(errorCatalogue), ...Object.keys(aaCodes)]) {
      expect(page).toContain(`| \`${code}\` |`);
    }
  });

  it('behavior: a status that depends on the occurrence is shown as both', () => {
    expect(errorsPage()).toContain('| `TRANSACTION_SUBMISSION_FAILED` | 400 or 503 |');
  });
});
