const looks = 5;
const pauseMs = 1_000;

/**
 * Look a few times, a second apart: a node may be a block behind what there is to see.
 *
 * @returns `undefined` when there was nothing to see until the end
 */
export async function lookRepeatedly<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let left = looks; ;) {
    const seen = await look();
    if (seen !== undefined || --left === 0) return seen;
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}
