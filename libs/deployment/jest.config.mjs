import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'deployment', rootDir: import.meta.dirname };
