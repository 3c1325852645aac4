import base from '../../jest.preset.mjs';

export default { ...base, displayName: 'intent-builder', rootDir: import.meta.dirname };
