export { findAnvil, findOnPath, MissingProgramError } from './find-anvil.js';
export { freePort, isFree } from './free-port.js';
export { makeTemporaryFolder } from './make-temporary-folder.js';
export { spawnTied, type TiedProcess } from './spawn-tied.js';
export { ProcessFailedError, startAnvil, type AnvilOptions, type AnvilProcess } from './start-anvil.js';
