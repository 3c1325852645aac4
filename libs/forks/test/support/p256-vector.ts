import type { Hex } from 'viem';

/** A signature that is valid: hash, r, s, x and y (Wycheproof, ecdsa_secp256r1_sha256_p1363, test 1). */
export const p256Vector: Hex = `0x${[
  'bb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca605023',
  '2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e18',
  '4cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76',
  '2927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838',
  'c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e',
].join('')}`;
