// Entry point for tools/bootstrap/main.mjs. It is separate from the index so that tests do not load the terminal output.
export { runDemo } from './demo/run-demo.js';
export { serve } from './deployment/serve.js';
