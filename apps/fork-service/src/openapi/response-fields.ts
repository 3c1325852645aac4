import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { digitsPattern } from '@yield-vault/protocol';

const plain = (schema: object) => (description: string, example: unknown) =>
  ApiProperty({ ...schema, description, example });

/** Fields of a response by JSON type. */
export const ApiText = plain({ type: 'string' });
export const ApiInteger = plain({ type: 'integer' });
export const ApiTimestamp = plain({ type: 'string', format: 'date-time' });
/** An integer as a string. */
export const ApiBaseUnits = plain({ type: 'string', pattern: digitsPattern.source });

/** A word of a list. */
export const ApiChoice = (values: readonly string[], description: string, example: string) =>
  ApiProperty({ type: 'string', enum: [...values], description, example });

// NestJS takes a function for a lazy class only when its name is "type": hence the arrow function.

/** A list of nested objects. */
export const ApiList = (dto: () => Type<unknown>, description: string) =>
  ApiProperty({ type: () => dto(), isArray: true, description });
