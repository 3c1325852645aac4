import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'server', rootDir: import.meta.dirname };
