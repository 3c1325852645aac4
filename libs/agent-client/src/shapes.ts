/** Zod shapes of the responses, and of a signed authorization. Unknown fields pass. */
export * from './generated/response-shapes.js';
export { eip7702Auth } from './generated/document-shapes.js';
