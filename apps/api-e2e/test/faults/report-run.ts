import type { Judgement } from './judge-run.js';
import type { FaultRun } from './run-faults.js';
import { killPoints } from './kill-points.js';
import { sendFaults } from './send-faults.js';

/** Render the three numbers, and what was tried, as Markdown. */
export function reportRun(
  { deposits, unreached }: FaultRun,
  { includedTwice, wronglyToldToPrepare, undecided, included }: Judgement,
  rounds: number,
): string {
  const intents = deposits.reduce((count, { attempts }) => count + attempts.length, 0);
  return `# Kill and fault matrix of execute

Two API processes on one PostgreSQL, each behind proxies of its own to PostgreSQL, the node and a real Alto bundler.
\`npm run faults -w apps/api-e2e\` writes this file.

| | count |
| --- | ---: |
| operations included twice | ${includedTwice.length} |
| callers told "prepare again" for an operation that was later included | ${wronglyToldToPrepare.length} |
| intents without a final result 60 s after \`expiry\` | ${undecided.length} |

${rounds} rounds: ${deposits.length} deposits in ${intents} intents, ${included} of them included. ${unreached.length} of ${rounds * Object.keys(killPoints).length} kills came before their
point. Every other caller went away after its first response.

## Kills

A process gets SIGKILL at each of ${Object.keys(killPoints).length} [points](../apps/api-e2e/test/faults/kill-points.ts).

## Faults

The proxy in front of the bundler spoils the first send of an intent in ${sendFaults.size} [ways](../apps/api-e2e/test/faults/send-faults.ts).
The node finds nothing in every other log query.
`;
}
