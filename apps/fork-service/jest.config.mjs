import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'fork-service', rootDir: import.meta.dirname };
