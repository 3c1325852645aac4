import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'database', rootDir: import.meta.dirname };
