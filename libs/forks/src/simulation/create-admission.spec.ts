import { ForkCapacityError } from '@yield-vault/protocol';
import { createAdmission } from './create-admission.js';

const limits = { concurrency: 2, queueLimit: 2 };
const patient = () => new AbortController().signal;

/** Work that ends on request. */
function work() {
  let finish = () => undefined as void;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const run = jest.fn(() => done);
  return { run, finish };
}

describe('createAdmission', () => {
  it('default: so many at once, the others in their order', async () => {
    const admission = createAdmission(limits);
    const works = Array.from({ length: 4 }, work);
    const results = works.map(({ run }) => admission.run(patient(), run));
    expect(admission.waiting()).toBe(2);
    expect(works.map(({ run }) => run.mock.calls.length)).toEqual([1, 1, 0, 0]);
    works[0]?.finish();
    await results[0];
    await new Promise(setImmediate);
    expect(works.map(({ run }) => run.mock.calls.length)).toEqual([1, 1, 1, 0]);
    for (const { finish } of works) finish();
    await Promise.all(results);
    expect(admission.waiting()).toBe(0);
  });

  it('error: ForkCapacityError when too many wait', async () => {
    const admission = createAdmission({ ...limits, concurrency: 1, queueLimit: 0 });
    const { run, finish } = work();
    const running = admission.run(patient(), run);
    await expect(admission.run(patient(), run)).rejects.toBeInstanceOf(ForkCapacityError);
    finish();
    await running;
    await new Promise(setImmediate);
    await admission.run(patient(), run);
  });

  it('behavior: one that gives up makes room for those behind it', async () => {
    const admission = createAdmission({ ...limits, concurrency: 1 });
    const [first, second, third] = [work(), work(), work()];
    const giveUp = new AbortController();
    const reason = new Error('gone');
    const results = [
      admission.run(patient(), first.run),
      admission.run(giveUp.signal, second.run),
      admission.run(patient(), third.run),
    ];
    giveUp.abort(reason);
    await expect(results[1]).rejects.toBe(reason);
    expect(admission.waiting()).toBe(1);
    first.finish();
    third.finish();
    await Promise.all([results[0], results[2]]);
    expect(second.run).not.toHaveBeenCalled();
  });

  it('behavior: a run that is aborted keeps its place until it has cleaned up', async () => {
    const admission = createAdmission({ ...limits, concurrency: 1 });
    const giveUp = new AbortController();
    const [first, second] = [work(), work()];
    const running = admission.run(giveUp.signal, first.run);
    const waiting = admission.run(patient(), second.run);
    giveUp.abort();
    await new Promise(setImmediate);
    expect(second.run).not.toHaveBeenCalled();
    first.finish();
    second.finish();
    await Promise.all([running, waiting]);
  });
});
