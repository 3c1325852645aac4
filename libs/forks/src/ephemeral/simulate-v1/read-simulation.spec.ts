import { readSimulation } from './read-simulation.js';

const log = { address: '0xaa', topics: ['0x01'], data: '0x02', logIndex: '0x0' };
const answer = (...calls: object[]) => [{ number: '0x8', timestamp: '0x9', baseFeePerGas: '0xa', calls }];

describe('readSimulation', () => {
  it('default: success, revert and halt', () => {
    const read = readSimulation(
      answer(
        { status: '0x1', gasUsed: '0x5208', returnData: '0x', logs: [log] },
        { status: '0x0', gasUsed: '0x1', returnData: '0xaabbccdd', error: { code: -3200 } },
        { status: '0x0', gasUsed: '0x1', returnData: '0x', logs: [], error: { code: -3200 } },
      ),
    );
    expect(read).toMatchObject({ number: 8n, timestamp: 9n, baseFeePerGas: 10n });
    expect(read.calls).toEqual([
      {
        status: 'success',
        gasUsed: 21_000n,
        returnData: '0x',
        logs: [{ address: '0xaa', topics: ['0x01'], data: '0x02' }],
      },
      { status: 'revert', gasUsed: 1n, returnData: '0xaabbccdd', logs: [] },
      { status: 'halt', gasUsed: 1n, returnData: '0x', logs: [] },
    ]);
  });

  it.each([null, [], [{}], answer({}), [...answer(), ...answer()]])('error: %j is no answer', (value) => {
    expect(() => readSimulation(value)).toThrow();
  });
});
