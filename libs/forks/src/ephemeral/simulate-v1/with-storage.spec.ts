import { pad } from 'viem';
import { call, sender } from '../../../test/support/calls.js';
import { withStorage } from './with-storage.js';

const contract = '0x00000000000000000000000000000000000c0dab';
const [first, second] = [pad('0x0a'), pad('0x0b')];
const storage = { [contract]: { [first]: pad('0x01'), [second]: pad('0x02') } } as const;
const request = { calls: [call('counter')] };

describe('withStorage', () => {
  it('default: storage becomes overrides beside those of the request', () => {
    const given = withStorage({ ...request, stateOverrides: { [sender]: { balance: 7n } } }, storage);
    expect(given.calls).toBe(request.calls);
    expect(given.stateOverrides).toMatchObject({
      [contract]: { stateDiff: storage[contract] },
      [sender.toLowerCase()]: { balance: 7n },
    });
  });

  it('behavior: overrides of the request win, whatever the case and padding of their digits', () => {
    const own = { code: '0xfe', stateDiff: { '0x0A': '0x09' } } as const;
    const address = '0x00000000000000000000000000000000000C0DAB';
    const given = withStorage({ ...request, stateOverrides: { [address]: own } }, storage);
    expect(given.stateOverrides).toEqual({
      [contract]: { code: '0xfe', stateDiff: { [first]: '0x09', [second]: pad('0x02') } },
    });
  });

  it('behavior: nothing is given where nothing is known', () => {
    expect(withStorage(request, {}).stateOverrides).toEqual({});
  });
});
