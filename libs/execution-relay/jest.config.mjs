import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'execution-relay', rootDir: import.meta.dirname };
