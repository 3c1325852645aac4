import { printable } from '../wire-values.js';
import type { FlowEvent } from './types.js';

/** Describe an event in plain words, one line for each effect. */
export function describeEvent(event: FlowEvent): readonly string[] {
  switch (event.type) {
    case 'vault-chosen': {
      const { name, apy, risk } = event.vault;
      return [`Chose ${printable(name)}: ${apy.now.toFixed(2)} % APY, risk ${printable(risk.level)}`];
    }
    case 'setup-relayed':
      return [`Set up in transaction ${event.setup.txHash}`];
    case 'executed':
      return [`Executed in transaction ${event.execution.txHash}`];
    default:
      return event.verified.summary;
  }
}
