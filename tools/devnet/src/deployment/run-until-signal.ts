import type { LocalDeployment } from './start-deployment.js';

const interruptedCode = 130;

/**
 * Run something on the local deployment and take everything down afterwards, whatever happens: at its end, on a
 * signal, and when it fails.
 *
 * @param start Starts the deployment.
 * @param run Uses the deployment.
 * @returns The exit code: 0, 1 after a failure, 130 when a signal came before `run` was done.
 */
export async function runUntilSignal(
  start: (onFailure: (error: Error) => void) => Promise<LocalDeployment>,
  run: (deployment: LocalDeployment, interrupted: Promise<void>) => Promise<void>,
): Promise<number> {
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  let interrupt: () => void = () => undefined;
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    let seen = false;
    // Listens on: the library that restores the cursor ends the process when it finds no other listener.
    process.on(signal, () => {
      // The second one ends this process at once, and the kernel the others.
      if (seen) process.exit(interruptedCode);
      seen = true;
      interrupt();
    });
  }
  failed.catch(() => undefined);

  let done = false;
  try {
    const deployment = await Promise.race([start(fail), interrupted, failed]);
    // Half of it runs: exiting ends that, and faster than waiting for the rest.
    if (!deployment) process.exit(interruptedCode);
    try {
      const finished = run(deployment, interrupted).then(() => (done = true));
      await Promise.race([finished, interrupted, failed]);
    } finally {
      await deployment.stop();
    }
    return done ? 0 : interruptedCode;
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
