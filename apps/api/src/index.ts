export { createApp, type AppOverrides } from './composition/create-app.js';
export { ConfigError } from '@yield-vault/server';
export { loadConfig, type Config } from './config/load-config.js';
export { Limit } from './throttling/limit.decorator.js';
