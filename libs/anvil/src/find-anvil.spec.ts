import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findAnvil, findOnPath } from './find-anvil.js';

describe('findAnvil', () => {
  it('default: an Anvil that can be run', () => {
    expect(findAnvil()).toMatch(/anvil$/);
  });
});

describe('findOnPath', () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-on-path-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('default: the first program of the name that may be executed', () => {
    writeFileSync(join(folder, 'plain'), '');
    writeFileSync(join(folder, 'program'), '', { mode: 0o755 });
    const path = ['/nowhere', folder].join(delimiter);
    expect(findOnPath('program', path)).toBe(join(folder, 'program'));
    expect(findOnPath('plain', path)).toBeUndefined();
    expect(findOnPath('program')).toBeUndefined();
  });
});
