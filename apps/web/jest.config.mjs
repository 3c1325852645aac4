import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'web', rootDir: import.meta.dirname };
