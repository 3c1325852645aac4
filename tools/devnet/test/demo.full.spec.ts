import { runDemo } from '../src/demo/run-demo.js';

jest.setTimeout(180_000);

it('default: agents that pay for their calls go through both chains', async () => {
  const printed = [
    jest.spyOn(console, 'log').mockReturnValue(),
    jest.spyOn(console, 'table').mockReturnValue(),
  ];
  expect(await runDemo({ paid: true })).toBe(0);
  expect(printed[1]).toHaveBeenCalledTimes(2);
});
