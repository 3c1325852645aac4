import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'testing', rootDir: import.meta.dirname };
