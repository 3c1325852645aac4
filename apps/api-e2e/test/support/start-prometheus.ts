import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@yield-vault/forks/anvil';
import { parse, stringify } from 'yaml';

interface Rules {
  readonly groups: readonly { rules: { alert: string; for: string }[] }[];
}

/** Whether Prometheus is installed (Debian's package). */
export const hasPrometheus = (): boolean => spawnSync('prometheus', ['--version']).status === 0;

/** Start a Prometheus that scrapes `/metrics` of these hosts each second. Its alerts fire as soon as they are true. */
export async function startPrometheus(targets: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const rules = parse(
    await readFile(resolve(__dirname, '../../../../config/observability/alerts.yaml'), 'utf8'),
  ) as Rules;
  for (const rule of rules.groups.flatMap((group) => group.rules)) rule.for = '0s';
  await writeFile(join(folder, 'rules.yaml'), stringify(rules));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'rules.yaml')],
    scrape_configs: [{ job_name: 'yield-vault', static_configs: [{ targets }] }],
  };
  await writeFile(join(folder, 'prometheus.yaml'), stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  );
  return {
    /** The names of the alerts that fire now, each with its labels. */
    async firing(): Promise<readonly string[]> {
      const response = await fetch(`http://${address}/api/v1/alerts`).catch(() => undefined);
      const body = (await response?.json()) as
        { data: { alerts: { state: string; labels: Record<string, string> }[] } } | undefined;
      return (body?.data.alerts ?? [])
        .filter(({ state }) => state === 'firing')
        .map(({ labels: { alertname, severity: _, ...labels } }) =>
          [alertname, ...Object.values(labels)].join(' '),
        );
    },
    async stop() {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
