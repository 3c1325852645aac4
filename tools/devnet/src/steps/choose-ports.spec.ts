import { createServer, type AddressInfo, type Server } from 'node:net';
import { choosePort, choosePorts, PortTakenError } from './choose-ports.js';

describe('choosePort', () => {
  let server: Server;
  let taken: number;
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    taken = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  it('error: PortTakenError, with the next action', async () => {
    const choosing = choosePort(taken, 'API server', 'PORT');
    await expect(choosing).rejects.toThrow(PortTakenError);
    await expect(choosing).rejects.toMatchObject({ port: taken, purpose: 'API server', variable: 'PORT' });
  });

  it('behavior: choosePorts gives every chain ports of its own', async () => {
    const { ethereum, base } = await choosePorts(['ethereum', 'base']);
    expect(new Set([ethereum!.rpc, ethereum!.bundler, base!.rpc, base!.bundler]).size).toBe(4);
  });
});
