/** Rules of the linter for src. Where one is off, the comment above it says why. */
module.exports = {
  extends: 'solhint:recommended',
  rules: {
    // Visibility of a constructor is no longer part of the language.
    'func-visibility': ['error', { ignoreConstructors: true }],
    // Packages are installed at the root of the workspace, where this rule does not look.
    'import-path-check': 'off',
    // Public immutables are functions of the interface, and private ones are written as OpenZeppelin writes them.
    'immutable-vars-naming': 'off',
    // Documentation says what a name does not say: not every parameter has some.
    'use-natspec': 'off',
    // Functions that the standards demand and that do nothing, and failures that change nothing.
    'no-empty-blocks': 'off',
    // Call data is decoded and handed on without copies. Each block is memory-safe.
    'no-inline-assembly': 'off',
    // The probe reports how a call fails. It is never deployed.
    'avoid-low-level-calls': 'off',
    // Events are an interface, and structs are ordered for the reader; test/gas.chain.spec.ts watches gas.
    'gas-indexed-events': 'off',
    'gas-small-strings': 'off',
    'gas-strict-inequalities': 'off',
    'gas-struct-packing': 'off',
  },
};
