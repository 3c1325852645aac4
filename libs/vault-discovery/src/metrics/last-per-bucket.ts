/** Keep the last point of each UTC bucket. Nothing is averaged or interpolated; empty buckets are left out. */
export function lastPerBucket<T extends { readonly t: number }>(
  points: readonly T[],
  bucketSeconds: number,
): T[] {
  const kept: T[] = [];
  let bucket: number | undefined;
  for (const point of points) {
    const next = Math.floor(point.t / bucketSeconds);
    if (next === bucket) kept[kept.length - 1] = point;
    else kept.push(point);
    bucket = next;
  }
  return kept;
}
