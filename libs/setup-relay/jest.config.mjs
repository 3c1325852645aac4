import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'setup-relay', rootDir: import.meta.dirname };
