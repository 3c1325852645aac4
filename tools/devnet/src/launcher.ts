// What tools/bootstrap.mjs runs once everything is built. Apart from the index, so that tests of others that use
// the devnet do not load the terminal output.
export { runDemo } from './demo/run-demo.js';
export { serve } from './deployment/serve.js';
