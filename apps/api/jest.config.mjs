import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'api', rootDir: import.meta.dirname };
