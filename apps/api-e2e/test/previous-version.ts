/** The version that a deployment may run beside the present one while it is upgraded. */
export const previousVersion = { name: '0.1.0', commit: 'c87ac06283b5725db7f0fc54e0f518920d500797' };
