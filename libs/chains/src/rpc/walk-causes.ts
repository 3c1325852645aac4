/** List an error with everything that caused it, outermost first. Causes may be plain objects. */
export function walkCauses(error: unknown): readonly object[] {
  const chain: object[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || chain.includes(value)) return;
    chain.push(value);
    visit((value as { cause?: unknown }).cause);
    if (value instanceof AggregateError) value.errors.forEach(visit);
  };
  visit(error);
  return chain;
}
