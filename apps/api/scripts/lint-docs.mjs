// Prints what redocly and spectral report about docs/openapi.json; exits with 1 when that is anything.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const file = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

const config = await createConfig({ extends: ['recommended'] });
const redocly = (await lint({ ref: file, config })).map(
  ({ ruleId, message, location }) => `redocly ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
);

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [rulesets.oas] });
const results = (await spectral.run(await readFile(file, 'utf8'))).map(
  ({ code, message, path }) => `spectral ${code}: ${message} (${path.join('.')})`,
);

for (const problem of [...redocly, ...results]) console.log(problem);
process.exitCode = redocly.length + results.length > 0 ? 1 : 0;
