import { aaCodes, errorCatalogue } from '@yield-vault/protocol';
import { errorsPage } from './errors-page.js';

describe('errorsPage', () => {
  it('behavior: lists every error code of the API and of the EntryPoint', () => {
    const page = errorsPage();
    const { UNAUTHORIZED: _ofForkService, ...answered } = errorCatalogue;
    for (const code of Object.keys(answered)) expect(page).toContain(`| \`${code}\` |`);
    for (const code of Object.keys(aaCodes)) expect(page).toContain(`- \`${code}\` (`);
    expect(page).not.toContain('| `UNAUTHORIZED` |');
  });

  it('behavior: shows both statuses of a code that has two', () => {
    expect(errorsPage()).toContain('| `TRANSACTION_SUBMISSION_FAILED` | 400 or 503 |');
  });
});
