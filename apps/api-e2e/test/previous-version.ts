/** The version that a deployment may run beside the present one while it is upgraded. */
export const previousVersion = { name: '0.1.0', commit: '45deeee9d22ae4799e143079eed165ed18e518f6' };
