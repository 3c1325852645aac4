/** Contracts small enough to be written as EVM code, each at an address of its own. */
export const tiny = {
  /** Adds the first word of the call data to slot 0; emits and returns the sum. */
  counter: {
    address: '0x00000000000000000000000000000000000c0001',
    code: '0x600035600054018060005560005260206000a060206000f3',
  },
  /** Returns base fee, gas price, block number, time, gas limit and the balance of the origin, a word each. */
  environment: {
    address: '0x00000000000000000000000000000000000c0002',
    code: '0x486000523a602052436040524260605245608052323160a05260c06000f3',
  },
  /** Reverts with the selector 0xaabbccdd. */
  reverter: {
    address: '0x00000000000000000000000000000000000c0003',
    code: '0x63aabbccdd60e01b60005260046000fd',
  },
  /** Runs an invalid opcode. */
  invalid: { address: '0x00000000000000000000000000000000000c0004', code: '0xfe' },
  /** Runs until its gas is used up. */
  loop: { address: '0x00000000000000000000000000000000000c0005', code: '0x5b600056' },
  /** Reads as many slots as the first word of the call data says and returns their sum. */
  reader: {
    address: '0x00000000000000000000000000000000000c0006',
    code: '0x60006000355b8015601857805490910190600190036005565b5060005260206000f3',
  },
  /** Returns the length of the code of the account in the first word of the call data. */
  codeSize: {
    address: '0x00000000000000000000000000000000000c0007',
    code: '0x6000353b60005260206000f3',
  },
  /** Gives its call data to the precompile P256VERIFY and returns how long the response is. */
  p256: {
    address: '0x00000000000000000000000000000000000c0008',
    code: '0x366000600037602060003660006101005afa503d60005260206000f3',
  },
  /** Returns the block number and the slots 0 and 1, a word each; with call data, it stores the number in both. */
  pair: {
    address: '0x00000000000000000000000000000000000c0009',
    code: '0x366019574360005260005460205260015460405260606000f35b436000554360015500',
  },
} as const;
