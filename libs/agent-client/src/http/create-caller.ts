import { MalformedAnswerError, ServiceUnreachableError } from '../errors.js';
import type { Endpoint } from '../generated/answers.js';
import { leavesUnknown } from './leaves-unknown.js';
import { createRetry, type Safety } from './create-retry.js';
import type { Payer, PaymentDemand } from './payer.js';
import { asksForPayment, readAnswer, type RawAnswer } from './read-answer.js';

/** What a call puts on its request. */
// An interface would not fit where any further property is allowed.
export type CallInit = {
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
};

export interface CallerOptions {
  readonly payer?: Payer | undefined;
  readonly retries: number;
  /** Longest time that one answer may take. */
  readonly timeoutMs: number;
}

/** Sends a request until there is an answer that counts, and gives its body; `repeatable` unless said otherwise. */
export type Caller = <Body>(
  endpoint: Endpoint,
  send: (init: CallInit) => Promise<RawAnswer>,
  safety?: Safety,
) => Promise<Body>;

/**
 * Make the function through which every request goes: it pays where that is asked for, and repeats what may be
 * repeated. All repetitions of a request carry the same payment, so that it is never paid twice.
 */
export function createCaller({ payer, retries, timeoutMs }: CallerOptions): Caller {
  const policies = { repeatable: createRetry('repeatable', retries), once: createRetry('once', retries) };

  return async <Body>(
    endpoint: Endpoint,
    send: (init: CallInit) => Promise<RawAnswer>,
    safety: Safety = 'repeatable',
  ) => {
    let payment: Readonly<Record<string, string>> | undefined;
    let afterUnanswered = false;
    const ask = async () => {
      try {
        return await send({ headers: { ...payment }, signal: AbortSignal.timeout(timeoutMs) });
      } catch (error) {
        // It quotes what it could not read.
        if (error instanceof SyntaxError) throw new MalformedAnswerError(endpoint, 'the answer is not JSON');
        throw new ServiceUnreachableError(reasonOf(error), error);
      }
    };
    const attempt = async () => {
      const answer = await ask();
      if (!payer || payment || !asksForPayment(answer))
        return readAnswer<Body>(endpoint, answer, afterUnanswered);
      payment = await payer(demandOf(answer));
      return readAnswer<Body>(endpoint, await ask(), afterUnanswered);
    };
    return policies[safety].execute(() =>
      attempt().catch((error: unknown) => {
        afterUnanswered ||= leavesUnknown(error);
        throw error;
      }),
    );
  };
}

function demandOf({ response, error }: RawAnswer): PaymentDemand {
  return { url: response.url, header: (name) => response.headers.get(name), body: error };
}

function reasonOf(error: unknown): string {
  return (error as Partial<Error>).name === 'TimeoutError' ? 'timed out' : 'connection failed';
}
