/** ERC-7579 types of the modules that an account of ours has. */
export const moduleTypes = { validator: 1n, executor: 2n } as const;

export type ModuleType = keyof typeof moduleTypes;
