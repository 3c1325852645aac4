import { InvalidArgumentError, program } from 'commander';
import { benchmarks } from './benchmarks/index.js';
import { runBenchmark } from './harness.js';

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isFinite(count) && count > 0) return count;
  throw new InvalidArgumentError('a positive number is needed');
}

program.name('bench').description('Measure the service against a ceiling taken in the same run');
for (const [name, benchmark] of Object.entries(benchmarks)) {
  const command = program.command(name).description(benchmark.description);
  for (const [option, value] of Object.entries(benchmark.options))
    command.option(`--${option} <count>`, '', parseCount, value);
  command.action(async (options: typeof benchmark.options) => {
    const table = await runBenchmark(benchmark, options);
    console.table(table);
    if (Object.values(table).some(({ result }) => result === 'MISSED')) process.exitCode = 1;
  });
}
await program.parseAsync();
