// A test gets a package as the process has loaded it (environment.cjs), not evaluated anew for each file.
module.exports = {
  process: (_, path) => ({
    code: `module.exports = globalThis[Symbol.for('require of the process')](${JSON.stringify(path)});`,
  }),
};
