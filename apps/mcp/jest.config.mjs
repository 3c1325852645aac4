import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'mcp', rootDir: import.meta.dirname };
