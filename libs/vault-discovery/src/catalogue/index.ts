export { parseRegistry, RegistryError } from './parse-registry.js';
export { shippedRegistry } from './shipped-registry.js';
export type { RegistryEntry } from '../types.js';
