import { stand } from '../../test/stand.js';
import { databaseBackends } from '../testing/index.js';
import type { DatabaseHandle } from '../handle.js';
import { createLeadership } from './create-leadership.js';

jest.setTimeout(60_000);

describe.each(databaseBackends())('createLeadership ($name)', ({ open }) => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('default: leads until it is stopped', async () => {
    const { leadership, began, done } = stand(database);
    await began;
    expect(leadership.isLeader()).toBe(true);
    await leadership.stop();
    expect(leadership.isLeader()).toBe(false);
    await expect(done).resolves.toBeUndefined();
  });

  it('behavior: ends its leadership when the work ends by itself', async () => {
    await createLeadership(database, 'short').lead(() => Promise.resolve());
    const next = stand(database, {}, 'short');
    await next.began;
    await next.leadership.stop();
  });

  it('behavior: stopped before it leads, it never does', async () => {
    const leadership = createLeadership(database, 'never');
    await leadership.stop();
    await leadership.lead(() => Promise.reject(new Error('led')));
    expect(leadership.isLeader()).toBe(false);
  });

  it('error: rejects with the error of the work', async () => {
    const leadership = createLeadership(database, 'failing');
    await expect(leadership.lead(() => Promise.reject(new RangeError('work')))).rejects.toBeInstanceOf(
      RangeError,
    );
    expect(leadership.isLeader()).toBe(false);
  });

  it('error: leading twice', async () => {
    const { leadership, began } = stand(database, {}, 'twice');
    await began;
    await expect(leadership.lead(() => Promise.resolve())).rejects.toThrow(/already/);
    await leadership.stop();
  });
});
