import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'devnet', rootDir: import.meta.dirname };
