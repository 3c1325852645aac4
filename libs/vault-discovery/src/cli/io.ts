/** Where a command writes: results, and notes about how it is going. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
}

/** Lay rows out in columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => [...row[index]!].length)));
  const pad = (cell: string, width: number) => cell + ' '.repeat(width - [...cell].length);
  return rows
    .map((row) =>
      row
        .map((cell, index) => pad(cell, widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
