import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { AgentClient } from '@yield-vault/agent-client';
import { z } from 'zod';
import type { Settings } from './settings.js';
import { failed, succeeded, type Outcome } from './tool-result.js';

/** What every tool uses. */
export interface ToolContext {
  readonly server: McpServer;
  readonly client: AgentClient;
  readonly settings: Settings;
}

/** The circumstances of one call. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

interface Tool<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  /** Absent for a tool that only reads. */
  readonly annotations?: ToolAnnotations;
  run(input: z.infer<z.ZodObject<Shape>>, extra: Extra): Promise<Outcome>;
}

/** Add a tool. Its errors become results that say what to do next. */
export function addTool<Shape extends z.ZodRawShape>(server: McpServer, tool: Tool<Shape>): void {
  const { name, description, input, annotations = { readOnlyHint: true, openWorldHint: true } } = tool;
  const inputSchema: z.ZodObject = z.strictObject(input);
  server.registerTool(name, { description, inputSchema, annotations }, async (given, extra) => {
    try {
      return succeeded(await tool.run(given as z.infer<z.ZodObject<Shape>>, extra));
    } catch (error) {
      return failed(error, given);
    }
  });
}
