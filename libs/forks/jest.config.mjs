import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'forks', rootDir: import.meta.dirname };
