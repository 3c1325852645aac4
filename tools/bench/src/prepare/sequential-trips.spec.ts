import { sequentialTrips } from './sequential-trips.js';

const trip = (start: number, end: number) => ({ start, end });

describe('sequentialTrips', () => {
  it.each([
    ['none', [], 0],
    ['one', [trip(0, 50)], 1],
    ['at once', [trip(0, 50), trip(1, 60), trip(2, 40)], 1],
    ['one after the other', [trip(60, 110), trip(0, 50)], 2],
    ['two at once, then one', [trip(0, 50), trip(1, 55), trip(56, 110)], 2],
    ['one that waits only for the quicker one', [trip(0, 50), trip(0, 90), trip(51, 100), trip(101, 150)], 3],
  ])('behavior: %s', (_, trips, count) => expect(sequentialTrips(trips)).toBe(count));
});
