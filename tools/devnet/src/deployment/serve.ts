import { readPort } from '../steps/read-environment.js';
import { renderOverview } from './render-overview.js';
import { runUntilSignal } from './run-until-signal.js';
import { startDeployment } from './start-deployment.js';

const defaultPort = 3_000;

/**
 * Start the local deployment and serve it until a signal comes.
 *
 * @returns The exit code.
 */
export function serve(): Promise<number> {
  return runUntilSignal(
    (onFailure) =>
      startDeployment({
        host: process.env['HOST'] || '127.0.0.1',
        port: readPort(process.env, 'PORT', defaultPort),
        onFailure,
      }),
    async (deployment, interrupted) => {
      console.log(`\n${renderOverview(deployment)}`);
      console.log('\nCtrl-C ends everything.');
      await interrupted;
      console.log('\nStopping');
    },
  );
}
