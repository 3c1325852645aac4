import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'smart-account', rootDir: import.meta.dirname };
