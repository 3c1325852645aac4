export { parseRegistry, type RegistryEntry } from './parse-registry.js';
export { shippedRegistry } from './shipped-registry.js';
