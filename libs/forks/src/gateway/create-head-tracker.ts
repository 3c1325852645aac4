import type { Header } from './block-reference.js';

/** The newest block of a chain. */
export interface HeadTracker {
  /**
   * The newest block, looked up at most `maxAgeMs` ago.
   *
   * @param look Looks it up; called at most once at a time
   */
  newest(maxAgeMs: number, look: () => Promise<Header>): Promise<Header>;
  /** Whether what is known was looked up at most `maxAgeMs` ago. */
  isFresh(maxAgeMs: number): boolean;
  /** The last one seen. */
  readonly last: Header | undefined;
  /** Drop what is known: the chain has replaced it. */
  forget(): void;
}

interface KnownHead {
  readonly header: Header;
  /** When somebody asked last, whatever the answer. */
  readonly askedAt: number;
  /** When an answer named it last. */
  readonly namedAt: number;
}

/**
 * Follow the newest block of a chain by asking when somebody needs it.
 *
 * @param longestLagMs How long an endpoint may lag behind another one; a lower head after that, or at once for 0, is
 *   that of a chain which went back
 */
export function createHeadTracker(now: () => number, longestLagMs: number): HeadTracker {
  let known: KnownHead | undefined;
  let asking: { readonly startedAt: number; readonly answer: Promise<Header> } | undefined;

  /** An endpoint that lags must not take a simulation back in time. */
  const lagsBehind = ({ block }: Header, at: number): boolean =>
    known !== undefined && block.number < known.header.block.number && at - known.namedAt < longestLagMs;

  const ask = (look: () => Promise<Header>): Promise<Header> => {
    const startedAt = now();
    const answer = look()
      .then((header) => {
        known = lagsBehind(header, startedAt)
          ? { ...known!, askedAt: startedAt }
          : { header, askedAt: startedAt, namedAt: startedAt };
        return known.header;
      })
      .finally(() => {
        asking = undefined;
      });
    asking = { startedAt, answer };
    return answer;
  };

  // Strictly: of two moments in one millisecond nobody knows which was first.
  const isFreshAt = (at: number, maxAgeMs: number) => known !== undefined && at - known.askedAt < maxAgeMs;

  return {
    isFresh: (maxAgeMs) => isFreshAt(now(), maxAgeMs),
    async newest(maxAgeMs, look) {
      const calledAt = now();
      for (;;) {
        if (known && isFreshAt(calledAt, maxAgeMs)) return known.header;
        if (!asking) return ask(look);
        if (calledAt - asking.startedAt < maxAgeMs) return asking.answer;
        // It was asked too long ago for this caller; all who wait like this share the next question.
        await asking.answer.catch(() => undefined);
      }
    },
    get last() {
      return known?.header;
    },
    forget: () => {
      known = undefined;
    },
  };
}
