import { EventEmitter, once } from 'node:events';
import type { DatabaseHandle } from '../src/handle.js';
import { createLeadership, type LeadershipOptions } from '../src/leadership/create-leadership.js';

/** A candidate whose work lasts until it is aborted; `began` and `ended` are called each time. */
export function stand(database: DatabaseHandle, options?: LeadershipOptions, name = 'test') {
  const leadership = createLeadership(database, name, options);
  const events = new EventEmitter();
  const began = once(events, 'began');
  const ended = once(events, 'ended');
  const done = leadership.lead(async (signal) => {
    events.emit('began');
    await once(signal, 'abort');
    events.emit('ended');
  });
  return { leadership, events, began, ended, done };
}
