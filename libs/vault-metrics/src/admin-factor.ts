/** Who can change a vault; absent means unknown. */
export interface AdminInput {
  readonly admin?: string;
  /** Seconds; under 6 h it counts as none. */
  readonly timelock?: number;
  /** Signatures that the Safe of a multisig admin needs; unknown counts as one. */
  readonly safeThreshold?: number;
}

const hours = 3_600;
// Nobody can react to a change in less than its last step, so a shorter timelock counts as none.
const timelockLadder: readonly (readonly [number, number])[] = [
  [168 * hours, 10],
  [72 * hours, 15],
  [48 * hours, 20],
  [24 * hours, 40],
  [6 * hours, 60],
];
/** Judge who can change a vault: 0 best to 95; null when unknown. */
export function adminFactor(input: AdminInput): number | null {
  const signatures = signaturesOf(input);
  if (signatures === undefined) return null;
  if (input.admin === 'immutable') return 0;
  const timelock = timelockFactor(input);
  if (timelock !== undefined) return timelock;
  if (signatures === Infinity) return 80;
  return signatures >= 3 ? 75 : signatures >= 2 ? 85 : 95;
}

const timelockFactor = ({ timelock = 0 }: AdminInput): number | undefined =>
  timelockLadder.find(([seconds]) => timelock >= seconds)?.[1];

/** How many keys must sign to change a vault; NaN for a multisig without a threshold, undefined for an unknown admin. */
function signaturesOf({ admin = '', safeThreshold }: AdminInput): number | undefined {
  if (admin === 'multisig') return safeThreshold ?? NaN;
  if (admin === 'eoa') return 1;
  return ['immutable', 'dao', 'timelock'].includes(admin) ? Infinity : undefined;
}

/** How many keys must sign to change a vault without a timelock; Infinity with one, undefined when unknown. */
export const keysOf = (input: AdminInput): number | undefined =>
  signaturesOf(input) !== undefined && timelockFactor(input) !== undefined ? Infinity : signaturesOf(input);
