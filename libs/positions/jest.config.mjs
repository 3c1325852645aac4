import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'positions', rootDir: import.meta.dirname };
