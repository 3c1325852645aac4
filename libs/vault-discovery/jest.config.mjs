import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'vault-discovery', rootDir: import.meta.dirname };
