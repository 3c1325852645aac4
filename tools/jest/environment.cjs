// Runs the test files of a project in the context of its process, so that Node loads each package once for all of them.
// The environment of Jest makes a context for each file, and evaluates every package in it again: half of the time of a
// unit test.
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

// Jest demands a context for the modules that it compiles. This one stands for the context of the process.
const contextOfProcess = vm.createContext({});
// Jest keeps its own packages apart for each file.
const isPackage = /\/node_modules\/(?!@jest\/|jest-|expect\/|source-map-support\/)/;
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options }) => {
  if (parsingContext !== contextOfProcess)
    return compileFunction(code, parameters, { ...options, parsingContext });
  if (!isPackage.test(options.filename)) return compileFunction(code, parameters, options);
  return (module) => {
    module.exports = require(options.filename);
  };
};

module.exports = class ProcessEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    // Jest replaces both for each file.
    this.replaced = { console: globalThis.console, exit: process.exit };
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  // What a file leaves behind must not reach the next one.
  setup() {
    this.globals = new Set(Reflect.ownKeys(globalThis));
    this.variables = { ...process.env };
    this.listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  }

  teardown() {
    this.fakeTimersModern.dispose();
    globalThis.console = this.replaced.console;
    process.exit = this.replaced.exit;
    for (const key of Reflect.ownKeys(globalThis))
      if (!this.globals.has(key)) Reflect.deleteProperty(globalThis, key);
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (!this.listeners.get(name)?.includes(listener)) process.off(name, listener);
  }

  exportConditions() {
    return this.conditions;
  }

  getVmContext() {
    return contextOfProcess;
  }
};
