import type { Migration } from 'kysely';
import * as discovery from './0001-discovery.js';
import * as intent from './0002-intent.js';
import * as setup from './0003-setup.js';
import * as discoveryAtScale from './0004-discovery-at-scale.js';
import * as payment from './0005-payment.js';
import * as claimPayment from './0006-claim-payment.js';
import * as intentMoves from './0007-intent-moves.js';

/** Every migration by name; they run in the order of the names. A published one is never edited. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-discovery': discovery,
  '0002-intent': intent,
  '0003-setup': setup,
  '0004-discovery-at-scale': discoveryAtScale,
  '0005-payment': payment,
  '0006-claim-payment': claimPayment,
  '0007-intent-moves': intentMoves,
};
