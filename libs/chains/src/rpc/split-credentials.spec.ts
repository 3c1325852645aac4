import { splitCredentials } from './split-credentials.js';

describe('splitCredentials', () => {
  it('default: an address without credentials stays as it is', () => {
    const { url, headers } = splitCredentials('https://rpc.example/v1?key=1');
    expect(url.href).toBe('https://rpc.example/v1?key=1');
    expect(headers).toEqual({});
  });

  it('behavior: user name and password move to the header, decoded', () => {
    const { url, headers } = splitCredentials('https://us%40er:p%3Ass@rpc.example/v1');
    expect(url.href).toBe('https://rpc.example/v1');
    expect(headers).toEqual({ authorization: `Basic ${btoa('us@er:p:ss')}` });
  });

  it('behavior: a password alone counts', () => {
    const { headers } = splitCredentials('https://:key@rpc.example');
    expect(headers).toEqual({ authorization: `Basic ${btoa(':key')}` });
  });
});
