import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'bench', rootDir: import.meta.dirname };
