import './no-eval.js';
import { ApiError, VerificationError } from '@yield-vault/agent-client';
import { button, element, failure } from './dom.js';
import { createFlow, type Exchange, type Step } from './flow-steps.js';

/** Create the reviewer's flow. Only the local deployment serves this file. */
export function flow(): readonly Node[] {
  const { wallet, steps } = createFlow(location.origin);
  const rows = steps.map(renderStep);
  const finished = element('p', { class: 'notice good', role: 'status' });
  finished.hidden = true;

  const offer = (index: number, takesFocus: boolean): void => {
    const row = rows[index];
    if (row) row.offer(() => offer(index + 1, true), takesFocus);
    else finished.textContent = 'The flow is finished: the position was opened and redeemed.';
    finished.hidden = row !== undefined;
  };
  offer(0, false);
  return [
    element(
      'section',
      { 'aria-labelledby': 'flow-title' },
      element('h2', { id: 'flow-title' }, 'Try the whole flow'),
      element(
        'p',
        { class: 'lead' },
        'On this local deployment nothing is real. This browser made a key for the wallet ',
        element('code', {}, wallet),
        '. The key stays in memory and is gone when you reload. Each step shows its requests and responses.',
      ),
      element('ol', { class: 'steps' }, ...rows.map(({ row }) => row)),
      finished,
    ),
  ];
}

function renderStep({ title, text, run }: Step) {
  const output = element('div', { class: 'output', role: 'status' });
  const exchanges = element('div');
  const actions = element('div');
  const row = element('li', {}, element('h3', {}, title), element('p', {}, text), actions, output, exchanges);

  const attempt = async (start: HTMLButtonElement): Promise<boolean> => {
    exchanges.replaceChildren();
    start.disabled = true;
    const lines = element('ul');
    output.replaceChildren(element('p', { class: 'quiet' }, 'Running…'), lines);
    try {
      await run({
        say: (line) => lines.append(element('li', {}, line)),
        onExchange: (exchange) => exchanges.append(renderExchange(exchange)),
      });
      output.replaceChildren(lines);
      actions.replaceChildren();
      return true;
    } catch (error) {
      output.replaceChildren(failure(explain(error)));
      start.disabled = false;
      start.focus();
      return false;
    }
  };
  return {
    row,
    /** Offer the step; a failed one can be repeated. */
    offer(onSuccess: () => void, takesFocus: boolean): void {
      const start = button(title, () => {
        void attempt(start).then((succeeded) => {
          row.dataset['state'] = succeeded ? 'done' : 'failed';
          if (succeeded) onSuccess();
        });
      });
      actions.replaceChildren(start);
      if (takesFocus) start.focus();
    },
  };
}

function explain(error: unknown): unknown {
  if (error instanceof VerificationError) return `Nothing was signed. ${error.message}`;
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'PAYMENT_REQUIRED')
    return 'This deployment takes a payment for each discover and prepare, and this page pays nothing. Start the service with PAYMENTS=off, or run npm run demo -- --paid.';
  return [error.message, error.nextAction].filter(Boolean).join(' ');
}

function renderExchange({ request, status, milliseconds, sent, received }: Exchange): HTMLElement {
  const part = (title: string, json: unknown) => [
    element('h4', {}, title),
    element(
      'pre',
      { tabindex: '0', role: 'region', 'aria-label': `${title} of ${request}` },
      JSON.stringify(json, null, 2),
    ),
  ];
  const summary = element(
    'summary',
    {},
    element('code', {}, request),
    ` ${status}, ${Math.round(milliseconds)} ms`,
  );
  return element(
    'details',
    {},
    summary,
    ...(sent === undefined ? [] : part('Request', sent)),
    ...part('Response', received),
  );
}
