import { setupTypeOf } from './setup-type-of.js';

const implementation = '0x1111111111111111111111111111111111111111';

it('setupTypeOf', () => {
  expect(setupTypeOf({ kind: 'undelegated' })).toBe('full');
  expect(setupTypeOf({ kind: 'foreign-delegation', implementation })).toBe('full');
  const missing = {
    kind: 'modules-missing',
    implementation,
    validatorInstalled: true,
    executorInstalled: false,
  } as const;
  expect(setupTypeOf(missing)).toBe('modules');
});
