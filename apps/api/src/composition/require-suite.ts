import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { IntentsPort, ProbeChain } from '../ports.js';
import type { SuiteFaults } from './suite-faults.js';

const retryAfterSeconds = 60;

/**
 * Keep setups back while a contract that they need is missing: a wallet would pay for a transaction that succeeds and
 * sets nothing up.
 *
 * @returns the same port with a method that throws {UpstreamUnavailableError} instead
 */
export function requireSuite(intents: IntentsPort, suiteFaults: SuiteFaults): IntentsPort {
  return {
    prepare: async (request) => {
      const prepared = await intents.prepare(request);
      if (!prepared.needsSetup) return prepared;
      const faults = await suiteFaults(request.chain);
      if (faults.length === 0) return prepared;
      const list = faults.map(({ contract, address, status }) => `${contract} ${status} at ${address}`);
      throw new UpstreamUnavailableError({
        detail: `No wallet can be set up on ${request.chain} until its contracts are deployed: ${list.join(', ')}.`,
        details: {
          dependency: `contracts:${request.chain}`,
          contracts: Object.fromEntries(faults.map(({ contract, status }) => [contract, status])),
        },
        nextAction: 'Use another chain, or ask the operator to deploy the contracts.',
        retryAfterSeconds,
      });
    },
  };
}

/** Have a probe also tell where contracts are missing. */
export function probeSuite(probeChain: ProbeChain, suiteFaults: SuiteFaults): ProbeChain {
  return async (key) => {
    const probe = await probeChain(key);
    if (probe.rpc !== 'ok') return probe;
    // Of a node that is gone again the next probe tells.
    const faults = await suiteFaults(key).catch(() => []);
    return faults.length === 0 ? probe : { ...probe, contracts: 'missing' };
  };
}
