export { createApp, type AppOptions } from './create-app.js';
export { Limit } from './http/limit.decorator.js';
