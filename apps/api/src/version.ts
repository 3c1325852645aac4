/** Version of the API description, the same as the package's. */
export const apiVersion = '0.1.0';
