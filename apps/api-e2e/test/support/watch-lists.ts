import type { Shape } from './shapes.js';

/** Notes which lists of answers ever had an element: the shape of an empty one is proven of nothing. */
export interface ListWatch {
  note(route: string, body: unknown): void;
  /** Lists of the routes noted so far that were empty each time, as `GET /path body.list`. */
  alwaysEmpty(): readonly string[];
}

/** Watch the lists of answers of these shapes. */
export function watchLists(shapes: Readonly<Record<string, Shape>>): ListWatch {
  const filled = new Map<string, Set<string>>();
  return {
    note(route, body) {
      const paths = filled.get(route) ?? new Set<string>();
      filled.set(route, paths);
      for (const path of filledLists(body, 'body')) paths.add(path);
    },
    alwaysEmpty: () =>
      [...filled].flatMap(([route, paths]) =>
        [...new Set(listsOf(shapes[route] ?? 'any', 'body'))]
          .filter((list) => ![...paths].some((path) => isAt(path, list)))
          .map((list) => `${route} ${list}`),
      ),
  };
}

/** Paths of the lists of a shape; `*` is any key of a map. */
function listsOf(shape: Shape, path: string): string[] {
  if (typeof shape === 'string') return [];
  if (Array.isArray(shape)) return [path, ...listsOf((shape as readonly [Shape])[0], `${path}[]`)];
  if ('oneOf' in shape) return (shape.oneOf as readonly Shape[]).flatMap((variant) => listsOf(variant, path));
  if ('mapOf' in shape) return listsOf(shape.mapOf as Shape, `${path}.*`);
  return Object.entries(shape).flatMap(([key, field]) => listsOf(field, `${path}.${key.replace(/\?$/, '')}`));
}

function filledLists(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.length === 0 ? [] : [path, ...value.flatMap((item) => filledLists(item, `${path}[]`))];
  return Object.entries(value).flatMap(([key, field]) => filledLists(field, `${path}.${key}`));
}

function isAt(path: string, list: string): boolean {
  const [steps, wanted] = [path.split('.'), list.split('.')];
  return steps.length === wanted.length && wanted.every((step, at) => step === '*' || step === steps[at]);
}
