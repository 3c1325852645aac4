import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(resolve(__dirname, '../../../config', path), 'utf8');

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
}
const kubernetes = read('production/kubernetes.yaml');
const compose = parse(read('production/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, unknown>>;
};
const services = Object.values(compose.services);
const variables = [...JSON.stringify(parse(read('production.yaml'))).matchAll(/\$\{([A-Z0-9_]+)(:-)?/g)].map(
  ([, name, fallback]) => ({
    name: name!,
    isRequired: !fallback,
  }),
);

/** The variables that an example sets, by themselves or through a file. */
const set = {
  compose: services
    .filter(({ image }) => image.startsWith('${IMAGE'))
    .flatMap(({ environment }) => Object.keys(environment!)),
  kubernetes: [...kubernetes.matchAll(/(?:^ {2}|name: )([A-Z][A-Z0-9_]+)(?=[:,] )/gm)].map(
    ([, name]) => name!,
  ),
};
/** They differ for each deployment, so the file of settings has them. */
const settings = ['BASE_LOGS_FROM_BLOCK', 'ETHEREUM_LOGS_FROM_BLOCK'];

it.each(Object.entries(set))(
  'default: %s sets what the production file requires, and nothing unknown',
  (_, given) => {
    const names = new Set([...given.map((name) => name.replace(/_FILE$/, '')), ...settings]);
    const known = new Set(['YIELD_VAULT_CONFIG', 'REHEARSE_KEY', ...variables.map(({ name }) => name)]);
    expect([...names].filter((name) => !known.has(name))).toEqual([]);
    expect(variables.filter(({ name, isRequired }) => isRequired && !names.has(name))).toEqual([]);
  },
);

it('behavior: each container of the compose file has the secrets that it reads, and no other', () => {
  for (const { environment = {}, secrets = [] } of services) {
    const used = Object.values(environment).flatMap(
      (value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? [],
    );
    expect([...secrets].sort()).toEqual(used.sort());
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
  }
});

it('behavior: only the proxy has public ports, and none of them leads to the metrics', () => {
  const open = services.flatMap(({ ports = [] }) => ports.filter((port) => !port.startsWith('127.0.0.1:')));
  expect(open).toEqual(['80:80', '443:443']);
  expect(read('production/Caddyfile').match(/reverse_proxy|api \d+/g)).toEqual(['reverse_proxy', 'api 3000']);
});
