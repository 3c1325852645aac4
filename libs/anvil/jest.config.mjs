import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'anvil', rootDir: import.meta.dirname };
