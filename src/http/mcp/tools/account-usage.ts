/** The tool that says what is left, and what was used. */
import { shortResult } from "../short-schema.ts";
import type { Tool } from "../tool.ts";

const NAMED = ["start", "end"];

export const accountUsage: Tool = {
  title: "Show credits and usage",
  tell: (document) => {
    const { summary, parameters } = document.paths["/1.0/account/usage"].get;
    const named = parameters.filter(({ name }) => NAMED.includes(name));
    return {
      description: `Shows the credits that are left this month. ${summary} Costs nothing.`,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(named.map(({ name }) => [name, { type: "string", format: "date" }])),
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: {
          subscription: shortResult({ name: "string" }),
          credits: shortResult({ total: "integer", used: "integer", remaining: "integer" }),
          start: { type: "string" },
          end: { type: "string" },
          total: { type: "object" },
          days: { type: "array" },
        },
        required: ["credits", "start", "end", "total", "days"],
      },
    };
  },
  isReadOnly: true,
  isOpenWorld: false,
  call: async (args, routes) => {
    const query = new URLSearchParams(Object.entries(args).map(([name, value]) => [name, String(value)]));
    const [account, usage] = [
      await routes.call("/1.0/account"),
      await routes.call(`/1.0/account/usage?${query.toString()}`),
    ];
    const { subscription, credits } = account;
    const { start, end, total, usage: days } = usage;
    return { data: { subscription, credits, start, end, total, days } };
  },
};
