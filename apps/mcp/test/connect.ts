import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type CallToolResult, type McpServer } from '@modelcontextprotocol/server';

/** Connect the official client to a server in this process. */
export async function connect(server: McpServer): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  return client;
}

/** Read the texts of a result; the last one of an error is JSON. */
export const textsOf = ({ content }: Pick<CallToolResult, 'content'>) =>
  content.map((part) => (part.type === 'text' ? part.text : ''));

/** Read the error in a result. */
export const errorOf = (result: CallToolResult): unknown =>
  (JSON.parse(textsOf(result).at(-1) ?? '') as { error: unknown }).error;
