import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'worker', rootDir: import.meta.dirname };
