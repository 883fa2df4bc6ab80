/** The entrance for agents. */
import { RpcAnswer, RpcMessage } from "../../contract/agents.ts";
import * as examples from "../examples.ts";
import { answerAgent } from "../handlers/mcp.ts";
import type { Route } from "../route.ts";

export const agents: readonly Route[] = [
  {
    method: "post",
    path: "/mcp",
    operationId: "callTools",
    summary:
      "The Model Context Protocol over HTTP, without sessions: tools that optimize and describe images by URL, and show usage. Messages that are none are answered with 400, methods that there are not with 404, both as JSON-RPC errors.",
    tag: "Agents",
    access: "key",
    isForAgents: true,
    body: { mime: "application/json", schema: RpcMessage, example: examples.rpcMessage, required: true },
    answers: {
      200: { description: "The answer to a request", schema: RpcAnswer, example: examples.rpcAnswer },
      202: { description: "A notification was read" },
    },
    refusals: [400, 404, 413, 415],
    handler: answerAgent,
  },
];
