import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'contracts', rootDir: import.meta.dirname, testTimeout: 60_000 };
