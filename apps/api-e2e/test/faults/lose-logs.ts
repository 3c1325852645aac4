import type { RpcProxyHook } from '@yield-vault/testing';

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
}

/** A node whose index of logs lags: every other log query finds nothing. */
export function loseLogs(): RpcProxyHook {
  let queries = 0;
  return (calls, forward) => {
    const lost = calls.flatMap((call) =>
      call.method === 'eth_getLogs' && queries++ % 2 === 0 ? [(call as unknown as Answer).id] : [],
    );
    if (lost.length === 0) return undefined;
    return forward().then(({ status, text }) => {
      const empty = (answer: Answer) => (lost.includes(answer.id) ? { ...answer, result: [] } : answer);
      const answers = JSON.parse(text) as Answer | Answer[];
      return { status, text: JSON.stringify(Array.isArray(answers) ? answers.map(empty) : empty(answers)) };
    });
  };
}
