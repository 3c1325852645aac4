import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childProcesses, descendantProcesses, isRunning, untilEnded } from './processes.js';

const script = "require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' }); console.log('ready')";

describe('processes', () => {
  it('default: children, their children, and when they have ended', async () => {
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    const pid = child.pid ?? 0;
    const grandchildren = childProcesses(pid);
    expect([...grandchildren.values()]).toEqual(['sleep 60']);
    const all = descendantProcesses(process.pid);
    expect([all.get(pid), [...all.values()].includes('sleep 60')]).toEqual([
      expect.stringContaining(process.execPath),
      true,
    ]);
    const [grandchild = 0] = grandchildren.keys();
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([true, true]);
    expect(await untilEnded([pid], 0)).toEqual([pid]);

    child.kill('SIGKILL');
    process.kill(grandchild, 'SIGKILL');
    expect(await untilEnded([pid, grandchild])).toEqual([]);
  });
});
