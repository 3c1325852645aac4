import { SetMetadata } from '@nestjs/common';

/** Metadata key of routes that need no credential. */
export const publicMetadata = 'public';

/** The route needs no credential. */
export const Public = () => SetMetadata(publicMetadata, true);
