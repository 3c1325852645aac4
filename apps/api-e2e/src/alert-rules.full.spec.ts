import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const folder = resolve(__dirname, '../../../config/observability');
const read = (name: string): unknown => parse(readFileSync(resolve(folder, name), 'utf8'));
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

// It comes with Debian's package prometheus.
(hasPromtool ? it : it.skip)('default: each alert is quiet, and fires after its fault', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(`${stdout}${stderr}`).not.toContain('FAILED');
  expect(status).toBe(0);
});

const { groups } = read('alerts.yaml') as { groups: { rules: { alert: string; for: string }[] }[] };
const rules = groups.flatMap((group) => group.rules);

it('behavior: the table of the documentation has every alert, and no time below its wait', () => {
  const text = readFileSync(resolve(folder, '../../docs/operations.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (\w+) +\| .* \| (\d+) +\|$/gm)];
  expect(rows.map(([, name = '']) => `YieldVault${name}`).sort()).toEqual(
    rules.map(({ alert }) => alert).sort(),
  );
  for (const [, name, minutes] of rows) {
    const rule = rules.find(({ alert }) => alert === `YieldVault${name}`)!;
    expect(Number(minutes)).toBeGreaterThan(Number.parseInt(rule.for));
  }
});

it('behavior: every alert has a test', () => {
  const { tests } = read('alerts.test.yaml') as {
    tests: { name: string; promql_expr_test: { exp_samples: unknown[] }[] }[];
  };
  const tested = tests.filter(({ promql_expr_test: cases }) => {
    const counts = cases.map(({ exp_samples: samples }) => samples.length);
    return counts.includes(0) && counts.includes(1);
  });
  expect([...new Set(tested.map(({ name }) => name))].sort()).toEqual(rules.map(({ alert }) => alert).sort());
});
