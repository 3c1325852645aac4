type Child = Node | string;

/**
 * Create an element. Strings become text nodes, so nothing of a vault or a caller is ever read as HTML.
 *
 * @example
 * element('a', { href: '/docs', class: 'link' }, 'Documents');
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** Create a list of names and what they stand for. */
export function definitions(rows: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return element(
    'dl',
    { class: 'facts' },
    ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}

/** Create a row of a table. The first cell of the class `text` names it. */
export function tableRow(classes: readonly string[], cells: readonly Child[]): HTMLTableRowElement {
  const name = classes.findIndex((one) => one.startsWith('text'));
  return element(
    'tr',
    {},
    ...cells.map((content, index) =>
      index === name
        ? element('th', { scope: 'row', class: classes[index]! }, content)
        : element('td', { class: classes[index]! }, content),
    ),
  );
}

/** Create a table from its columns, each with the classes of its cells, and its rows. */
export function dataTable(
  caption: string,
  columns: readonly (readonly [name: string, classes: string])[],
  rows: readonly (readonly Child[])[],
): HTMLElement {
  const headings = columns.map(([name, classes]) => element('th', { scope: 'col', class: classes }, name));
  const classes = columns.map(([, those]) => those);
  return element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...headings)),
    element('tbody', {}, ...rows.map((cells) => tableRow(classes, cells))),
  );
}

/** Find an element that the page always has. */
export function byId<Found extends HTMLElement = HTMLElement>(id: string): Found {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found as Found;
}

/** Create a button. */
export function button(
  label: string,
  onClick: () => void,
  attributes: Readonly<Record<string, string>> = {},
) {
  const created = element('button', { type: 'button', ...attributes }, label);
  created.addEventListener('click', onClick);
  return created;
}

/** Fill a fieldset with one radio button for each option; the first is chosen. */
export function addChoices<Value extends string>(
  fieldset: HTMLElement,
  options: readonly (readonly [value: Value, label: string])[],
  onChoice: (value: Value) => void,
): void {
  for (const [index, [value, label]] of options.entries()) {
    const input = element('input', { type: 'radio', name: fieldset.id, value });
    input.checked = index === 0;
    input.addEventListener('change', () => onChoice(value));
    fieldset.append(element('label', {}, input, element('span', {}, label)));
  }
}

const newest = new WeakMap<HTMLElement, symbol>();

/** Fill a part of the page; until then it says that it loads. After a failure it offers to try again. */
export async function fill(target: HTMLElement, load: () => Promise<readonly Child[]>): Promise<void> {
  const started = Symbol();
  newest.set(target, started);
  target.setAttribute('aria-busy', 'true');
  if (target.childElementCount === 0) target.replaceChildren(element('p', { class: 'quiet' }, 'Loading…'));
  const content = await load().catch((error: unknown) => [
    failure(
      error,
      button('Try again', () => void fill(target, load)),
    ),
  ]);
  // A later choice replaces this one.
  if (newest.get(target) !== started) return;
  target.replaceChildren(...content);
  target.removeAttribute('aria-busy');
}

/** Load a part of the page that the rest does not need. After a failure it says which part is missing. */
export async function part(name: string, load: () => Promise<readonly Child[]>): Promise<readonly Child[]> {
  try {
    return await load();
  } catch (error) {
    console.warn(error);
    // Browsers do not fetch a script again that failed once.
    return [failure(`${name} could not load. Reload the page to try again. The rest of the page works.`)];
  }
}

/** Say what failed. */
export function failure(error: unknown, ...more: readonly Child[]): HTMLElement {
  const text = error instanceof Error ? error.message : String(error);
  return element('div', { class: 'notice bad', role: 'alert' }, element('p', {}, text), ...more);
}
