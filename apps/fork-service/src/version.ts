/** Version of the service, the same as the package's. */
export const serviceVersion = '0.1.0';
