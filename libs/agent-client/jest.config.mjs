import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'agent-client', rootDir: import.meta.dirname };
