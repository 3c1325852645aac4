// The conformance suite imports `globSync`, which Node has since 22, and does not use it for servers.
import { register } from 'node:module';

const shim = `data:text/javascript,export * from 'node:fs'; export const globSync = undefined;`;
const hooks = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(shim)}, shortCircuit: true }
    : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
