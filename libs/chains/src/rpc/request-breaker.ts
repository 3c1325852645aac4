import { ConsecutiveBreaker } from 'cockatiel';

/** Opens after some HTTP requests failed in a row: the calls of one fail in the same tick, and count once. */
export class RequestBreaker extends ConsecutiveBreaker {
  private hasCounted = false;

  override failure(): boolean {
    if (this.hasCounted) return false;
    this.hasCounted = true;
    setImmediate(() => (this.hasCounted = false));
    return super.failure();
  }
}
