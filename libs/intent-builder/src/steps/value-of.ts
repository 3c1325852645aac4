import type { Order, Reading } from '../types.js';
import { explainRevert } from './explain-rejection.js';

/**
 * Take the value of a reading without which an order cannot be built.
 *
 * @throws {VaultAtCapacityError | PreflightSimulationError} when the contract refuses to say
 */
export function valueOf<T>(reading: Reading<T>, order: Order): T {
  if ('value' in reading) return reading.value;
  throw explainRevert(reading.revertReason, order);
}
