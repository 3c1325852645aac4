import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'protocol', rootDir: import.meta.dirname };
