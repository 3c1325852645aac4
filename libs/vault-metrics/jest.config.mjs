import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'vault-metrics', rootDir: import.meta.dirname };
