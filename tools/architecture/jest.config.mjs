import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'architecture', rootDir: import.meta.dirname };
