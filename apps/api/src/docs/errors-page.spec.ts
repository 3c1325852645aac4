import { aaCodes, errorCatalogue } from '@yield-vault/protocol';
import { errorsPage } from './errors-page.js';

describe('errorsPage', () => {
  it('behavior: lists every code of the catalogue that the API answers, and of the EntryPoint', () => {
    const page = errorsPage();
    const { UNAUTHORIZED: _ofForkService, ...answered } = errorCatalogue;
    for (const code of [...Object.keys(answered), ...Object.keys(aaCodes)]) {
      expect(page).toContain(`| \`${code}\` |`);
    }
    expect(page).not.toContain('| `UNAUTHORIZED` |');
  });

  it('behavior: a status that depends on the occurrence is shown as both', () => {
    expect(errorsPage()).toContain('| `TRANSACTION_SUBMISSION_FAILED` | 400 or 503 |');
  });
});
