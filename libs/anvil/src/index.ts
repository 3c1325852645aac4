export { MissingProgramError, ProcessFailedError } from './errors.js';
export { findAnvil, findOnPath } from './find-anvil.js';
export { makeTemporaryFolder } from './make-temporary-folder.js';
export { reapAnvils } from './reap-anvils.js';
export { spawnTied, type TiedProcess } from './spawn-tied.js';
export { startAnvil, type AnvilOptions, type AnvilProcess } from './start-anvil.js';
