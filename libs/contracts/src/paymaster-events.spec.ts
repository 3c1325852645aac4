import { toEventSelector } from 'viem';
import { usdcPaymasterAbi } from './generated/UsdcPaymaster.js';
import { sponsoredEvents } from './paymaster-events.js';

describe('sponsoredEvents', () => {
  it('default: the first event is the one that our paymaster emits', () => {
    const emitted = usdcPaymasterAbi.flatMap((item) =>
      item.type === 'event' && item.name === 'UserOperationSponsored' ? [toEventSelector(item)] : [],
    );
    expect(emitted).toEqual([toEventSelector(sponsoredEvents[0])]);
  });
});
