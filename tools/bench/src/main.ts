import { InvalidArgumentError, program } from 'commander';
import { meetsBodiesGoal, reportBodies } from './bodies/report-bodies.js';
import { runBodies } from './bodies/run-bodies.js';
import { reportDiscover } from './discover/report-discover.js';
import { runDiscover, type DiscoverSettings } from './discover/run-discover.js';
import { meetsExecuteGoals, reportExecute } from './execute/report-execute.js';
import { runExecute } from './execute/run-execute.js';
import { missedGoals, reportGas } from './gas/report-gas.js';
import { runGas } from './gas/run-gas.js';
import { measureFlows } from './flow/measure-flow.js';
import { reportFlow } from './flow/report-flow.js';
import { meetsPaymentsGoals, reportPayments } from './payments/report-payments.js';
import { runPayments } from './payments/run-payments.js';
import { meetsPreflightGoals, reportPreflight } from './preflight/report-preflight.js';
import { runPreflight } from './preflight/run-preflight.js';
import { meetsPrepareGoals, reportPrepare } from './prepare/report-prepare.js';
import { runPrepare } from './prepare/run-prepare.js';
import { reportRecompute } from './recompute/report-recompute.js';
import { runRecompute } from './recompute/run-recompute.js';
import { reportSample } from './sample/report-sample.js';
import { runSample } from './sample/run-sample.js';
import { meetsStatusGoals, reportStatus } from './status/report-status.js';
import { runStatus } from './status/run-status.js';

const defaultSizes = [150, 10_000];

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('a positive integer is needed');
}

/** Collect the values of an option, in place of its default. */
function parseCounts(text: string, before: number[]): number[] {
  return [...(before === defaultSizes ? [] : before), parseCount(text)].sort((a, b) => a - b);
}

program.name('bench').description('Measure the service against a ceiling taken in the same run');

program
  .command('gas')
  .description('gas of setup, deposit and redeem beside plain transactions and two accounts of others')
  .action(async () => {
    const run = await runGas();
    console.log(reportGas(run));
    if (missedGoals(run.ours).length > 0) process.exitCode = 1;
  });

program
  .command('flow')
  .description('time of each request from setup to redeem; the server must be built')
  .option('--wallets <count>', 'how many wallets', parseCount, 5)
  .action(async ({ wallets }: { wallets: number }) => {
    console.log(reportFlow(await measureFlows(wallets)));
  });

program
  .command('prepare')
  .description(
    'time, round trips and work of prepare for a configured wallet, with a distant node and bundler',
  )
  .option('--latency <ms>', 'delay of every response of node and bundler', parseCount, 50)
  .option('--n <count>', 'requests of each kind', parseCount, 100)
  .action(async ({ latency, n }: { latency: number; n: number }) => {
    const run = await runPrepare({ latency, requests: n });
    console.log(reportPrepare(run));
    if (!meetsPrepareGoals(run)) process.exitCode = 1;
  });

program
  .command('execute')
  .description(
    "what execute adds to the bundler's time, without and with preflight; the server must be built",
  )
  .option('--n <count>', 'operations of each kind', parseCount, 40)
  .action(async ({ n }: { n: number }) => {
    const run = await runExecute(n);
    console.log(reportExecute(run));
    if (!meetsExecuteGoals(run)) process.exitCode = 1;
  });

program
  .command('preflight')
  .description('time and cost of simulating a user operation, beside a fork for each simulation')
  .option('--latency <ms>', 'delay of every response of the node', parseCount, 50)
  .option('--n <count>', 'simulations of ours for each row', parseCount, 40)
  .option('--naive <count>', 'naive simulations for each row', parseCount, 8)
  .action(async ({ n, ...options }: { n: number; latency: number; naive: number }) => {
    const run = await runPreflight({ ...options, simulations: n });
    console.log(reportPreflight(run));
    if (!meetsPreflightGoals(run)) process.exitCode = 1;
  });

program
  .command('bodies')
  .description('longest delay of the event loop for each of many hostile bodies; api must be built')
  .option('--n <count>', 'bodies', parseCount, 1_000)
  .action(async ({ n }: { n: number }) => {
    const results = await runBodies(n);
    console.log(reportBodies(results));
    if (!meetsBodiesGoal(results)) process.exitCode = 1;
  });

program
  .command('discover')
  .description(
    'requests per second of discover beside a bare handler of the same server and beside raw Fastify; api must be built',
  )
  .option(
    '--vaults <counts...>',
    'how many vaults are ranked, one size after the other',
    parseCounts,
    defaultSizes,
  )
  .option('--rounds <count>', 'rounds of each route', parseCount, 8)
  .option('--seconds <count>', 'length of a round', parseCount, 3)
  .action(async ({ vaults, ...settings }: { vaults: number[] } & Omit<DiscoverSettings, 'sizes'>) => {
    console.log(reportDiscover(await runDiscover({ sizes: vaults, ...settings, onProgress: console.error })));
  });

program
  .command('payments')
  .description('time that a payment adds to a request, then many payments')
  .option('--n <count>', 'requests of each kind to each route', parseCount, 200)
  .option('--payments <count>', 'payments of the soak', parseCount, 10_000)
  .action(async ({ n, payments }: { n: number; payments: number }) => {
    const run = await runPayments({ requests: n, payments });
    console.log(reportPayments(run));
    if (!meetsPaymentsGoals(run)) process.exitCode = 1;
  });

program
  .command('sample')
  .description('calls and time of one snapshot of many vaults, beside the same calls alone')
  .option('--vaults <count>', 'how many', parseCount, 10_000)
  .option('--rounds <count>', 'how often', parseCount, 5)
  .action(async ({ vaults, rounds }: { vaults: number; rounds: number }) => {
    console.log(reportSample(await runSample(vaults, rounds)));
  });

program
  .command('recompute')
  .description(
    'CPU time of measuring and ranking many vaults again, and the delay of the event loop meanwhile',
  )
  .option('--vaults <count>', 'how many', parseCount, 10_000)
  .option('--rounds <count>', 'how often', parseCount, 5)
  .action(async ({ vaults, rounds }: { vaults: number; rounds: number }) => {
    console.log(reportRecompute(await runRecompute(vaults, rounds)));
  });

program
  .command('status')
  .description('time until the past of a wallet is read at a distant node, and what a status costs')
  .option('--ranges <count>', 'ranges of 10,000 blocks; 1577 are a year of Base', parseCount, 1_577)
  .option('--latency <ms>', 'delay of every response of the node', parseCount, 50)
  .action(async ({ ranges, latency }: { ranges: number; latency: number }) => {
    const runs = await runStatus({ ranges, latencyMs: latency });
    console.log(reportStatus(runs));
    if (!meetsStatusGoals(runs)) process.exitCode = 1;
  });

await program.parseAsync();
