import { fileURLToPath } from 'node:url';

/** Folder of the repository; this file runs from `tools/bench/dist`. */
export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));
