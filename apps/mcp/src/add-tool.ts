import type { McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { AgentClient } from '@yield-vault/agent-client';
import { z } from 'zod';
import type { Settings } from './settings.js';
import { executedResult, failed, succeeded, type Outcome } from './tool-result.js';

/** What every tool uses. */
export interface ToolContext {
  readonly server: McpServer;
  readonly client: AgentClient;
  readonly settings: Settings;
}

interface Tool<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  /** The shape of `data`. */
  readonly output: z.ZodObject;
  /** Absent for a tool that only reads. */
  readonly annotations?: ToolAnnotations;
  run(input: z.infer<z.ZodObject<Shape>>, context: ServerContext): Promise<Outcome>;
}

/** Add a tool. Its errors become results that say what to do next. */
export function addTool<Shape extends z.ZodRawShape>(server: McpServer, tool: Tool<Shape>): void {
  const { name, description, input, output: outputSchema } = tool;
  const { annotations = { readOnlyHint: true, openWorldHint: true } } = tool;
  const inputSchema: z.ZodObject = z.strictObject(input);
  const config = { description, inputSchema, outputSchema, annotations };
  server.registerTool(name, config, async (given, context) => {
    try {
      const outcome = await tool.run(given as z.infer<z.ZodObject<Shape>>, context);
      return annotations.readOnlyHint ? succeeded(outcome) : executedResult(outcome, outputSchema);
    } catch (error) {
      return failed(error, given);
    }
  });
}
