import './no-eval.js';
import {
  agentAddressBook,
  describeEnvelope,
  localAddressBook,
  type VerifiedEnvelope,
} from '@yield-vault/agent-client';
import { definitions, element, failure } from './dom.js';

/**
 * Check a pasted document and say in words what its signature would do.
 *
 * @param isLocal - whether the contracts of the local deployment count as known
 */
export function check(text: string, isLocal: boolean): readonly Node[] {
  const addressBook = isLocal ? localAddressBook : agentAddressBook;
  let envelope: unknown;
  try {
    envelope = readEnvelope(text);
  } catch (error) {
    return [failure(error)];
  }
  const result = describeEnvelope(envelope, { addressBook });
  if (result.ok) return accepted(result);
  return [
    element(
      'div',
      { class: 'notice bad' },
      element('h3', {}, 'Do not sign this'),
      element(
        'p',
        {},
        `${result.detail} The check that failed is ${result.reason}, at `,
        element('code', {}, result.field),
        '.',
      ),
    ),
  ];
}

function readEnvelope(text: string): unknown {
  if (text.trim() === '') throw new Error('Paste an envelope first.');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('This is not JSON. Paste the whole response, from the first brace to the last.');
  }
  const { execution, intentEnvelope, needsSetup } = (json ?? {}) as {
    readonly execution?: { readonly intentEnvelope?: unknown } | null;
    readonly intentEnvelope?: unknown;
    readonly needsSetup?: boolean;
  };
  if (needsSetup === true)
    throw new Error('This is a setup. Sign and relay it, prepare again, and paste that response.');
  return execution?.intentEnvelope ?? intentEnvelope ?? json;
}

function accepted({ envelope, deployment, summary, userOpHash }: VerifiedEnvelope): readonly Node[] {
  const expiry = new Date(envelope.expiry * 1000);
  const isExpired = expiry.getTime() <= Date.now();
  const facts = [
    ['Wallet', envelope.sender],
    ['Chain', `${deployment.chain} (${deployment.chainId})`],
    ['Expires', `${expiry.toISOString().slice(0, 19).replace('T', ' ')} UTC`],
    ['User operation', userOpHash],
  ] as const;
  return [
    element(
      'div',
      { class: isExpired ? 'notice' : 'notice good' },
      element('h3', {}, isExpired ? 'Consistent, and expired' : 'Consistent'),
      element(
        'p',
        {},
        'Every hash was recomputed, and every contract is in the address book. With a signature, the wallet will:',
      ),
      element('ol', {}, ...summary.map((line) => element('li', {}, line))),
      definitions(facts),
      element(
        'p',
        {},
        'This page does not know your request. Compare vault, amount and minimum with it before you sign.',
      ),
    ),
  ];
}
