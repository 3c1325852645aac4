import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'chains', rootDir: import.meta.dirname };
