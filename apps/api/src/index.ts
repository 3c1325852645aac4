export { createApp, type AppOptions } from './create-app.js';
// For controllers that are added to the app, as a benchmark does.
export { Limit } from './http/limit.decorator.js';
