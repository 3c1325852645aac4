import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'operator', rootDir: import.meta.dirname };
