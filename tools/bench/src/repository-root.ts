import { fileURLToPath } from 'node:url';

/** Folder of the repository, seen from `src` and from `dist` alike. */
export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));
