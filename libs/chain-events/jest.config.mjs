import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'chain-events', rootDir: import.meta.dirname };
