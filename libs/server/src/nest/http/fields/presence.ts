import { ValidateIf } from 'class-validator';

/** When a field may be absent. `null` is never absence: it has no type that the interface lists. */
export interface Presence {
  readonly optional?: boolean;
  /** For an optional field: when it must be there after all. */
  readonly requiredWhen?: (dto: never) => boolean;
}

/** Skip the checks of an absent optional field (class-validator's IsOptional would let `null` pass as well). */
export function presence({ optional = false, requiredWhen }: Presence): PropertyDecorator[] {
  if (!optional) return [];
  return [ValidateIf((dto: object, value) => value !== undefined || (requiredWhen?.(dto as never) ?? false))];
}
