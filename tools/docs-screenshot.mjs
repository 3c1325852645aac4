// Takes pictures of the Swagger UI of a running server, and fails when the page sends a request to another host.
//
//   node tools/docs-screenshot.mjs [http://127.0.0.1:3000]
//
// Needs a Chromium: CHROMIUM_PATH, or /usr/bin/chromium. Writes to .local/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const origin = process.argv[2] ?? 'http://127.0.0.1:3000';
const folder = join(import.meta.dirname, '../.local');
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const problems = [];
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin)
      problems.push(`asked another host: ${request.url()}`);
  });
  page.on('pageerror', (error) => problems.push(`error in the page: ${error.message}`));
  page.on('console', (line) => line.type() === 'error' && problems.push(`console: ${line.text()}`));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));

  await page.goto(`${origin}/docs`);
  await page.locator('.opblock-summary').first().waitFor();
  await shoot(page, 'docs');

  const ids = ['discover', 'explainVault', 'prepare', 'status', 'history', 'fundWallet', 'forkStatus'];
  for (const id of ids) {
    const operation = page.locator(`.opblock[id$="-${id}"]`);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response').waitFor();
    const status = (
      await operation.locator('.live-responses-table .response-col_status').last().innerText()
    ).trim();
    if (!status.startsWith('200')) problems.push(`${id} with its first example answered ${status}`);
    await operation.screenshot({ path: join(folder, `docs-${id}.png`) });
    await operation.locator('.opblock-summary-control').click();
  }
} finally {
  await browser.close();
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

async function shoot(page, name) {
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, fullPage: true });
  console.log(path);
}
