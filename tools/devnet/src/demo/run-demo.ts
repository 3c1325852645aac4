import { createAgentClient, type Payer } from '@yield-vault/agent-client';
import { chainFacts } from '@yield-vault/contracts';
import { runUntilSignal } from '../deployment/run-until-signal.js';
import { startDeployment } from '../deployment/start-deployment.js';
import { readPort } from '../steps/read-environment.js';
import { runDemoFlow, type Step } from './flow.js';

/**
 * Start the local deployment on a free port, take agents through it on Base and on Ethereum, print every step,
 * and stop everything.
 *
 * @param options.paid Whether the agent pays for discover and prepare.
 * @returns The exit code.
 */
export function runDemo({ paid = false } = {}): Promise<number> {
  return runUntilSignal(
    (onFailure) =>
      startDeployment({
        host: process.env['HOST'] || '127.0.0.1',
        port: readPort(process.env, 'PORT', 0),
        paid,
        onFailure,
      }),
    async ({ apiUrl, devnet }) => {
      console.log(`\nThe API serves on ${apiUrl}, its Swagger UI on ${apiUrl}/docs.`);
      const clientOf = (payer: Payer) => createAgentClient({ baseUrl: apiUrl, payer });
      const started = performance.now();
      for (const chain of devnet.chains.toReversed()) {
        console.log(`\n${chainFacts(chain.chainId).name} (chain id ${String(chain.chainId)})`);
        const steps = await runDemoFlow(clientOf, chain, printStep);
        console.table(Object.fromEntries(steps.map((step) => [step.title, rowOf(step)])));
      }
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(
        `\nBoth chains took ${seconds} s. Gas was paid in USDC, except for the setup of the first wallet.`,
      );
    },
  );
}

function rowOf({ milliseconds, gasUsed, usdcPaid }: Step) {
  return {
    ms: Math.round(milliseconds),
    ...(gasUsed && { gas: Number(gasUsed) }),
    ...(usdcPaid && { USDC: Number(usdcPaid) }),
  };
}

function printStep({ title, lines, milliseconds, gasUsed, usdcPaid }: Step): void {
  const facts = [
    `${milliseconds.toFixed(0)} ms`,
    gasUsed && `${String(gasUsed)} gas`,
    usdcPaid && `${usdcPaid} USDC for it`,
  ];
  console.log(`  ${title}  (${facts.filter(Boolean).join(', ')})`);
  for (const line of lines) console.log(`      ${line}`);
}
