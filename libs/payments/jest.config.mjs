import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'payments', rootDir: import.meta.dirname };
