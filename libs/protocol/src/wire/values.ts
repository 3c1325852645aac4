import type { Address, Hex } from 'viem';

export type { Address, Hex };

/** An address in the types of another package. */
export type PlainAddress = string;
/** 32 bytes in hex. */
export type Hash32 = Hex;
/** An integer in decimal digits, such as an amount in base units. */
export type Digits = string;
/** A decimal number, such as an amount in human units. */
export type Decimal = string;
/** ISO 8601. */
export type Timestamp = string;
export type Integer = number;
export type ChainId = number;
export type UnixSeconds = number;

export const environments = ['local', 'staging', 'preproduction', 'production'] as const;
/** The kind of a deployment. */
export type Environment = (typeof environments)[number];

export const relayModes = ['managed-fork', 'chain'] as const;
/** Where wallets act: on the persistent fork of a chain, or on the chain itself. */
export type RelayMode = (typeof relayModes)[number];

/** One field of an EIP-712 type. @request */
export interface TypedDataField {
  readonly name: string;
  readonly type: string;
}

/** `0x` plus 40 hex digits, in any case. */
export const addressPattern = /^0x[0-9a-fA-F]{40}$/;
/** `0x` plus 64 hex digits. */
export const hash32Pattern = /^0x[0-9a-fA-F]{64}$/;
/** `0x` plus hex digits, none at all included. */
export const hexPattern = /^0x[0-9a-fA-F]*$/;
/** Decimal digits. */
export const digitsPattern = /^\d+$/;
/** A decimal number that may be negative. */
export const signedDecimalPattern = /^-?\d+(\.\d+)?$/;
