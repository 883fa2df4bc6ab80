/** The tool that makes a smaller or another picture of one that is online. */
import { schemaFromDocument, type Tool } from "../tool.ts";

/**
 * Credentials, answers that go elsewhere, and bytes: nothing that an agent could read, or should hold. Each of `outputs` may
 * have a store of its own.
 */
const OMITTED = ["headers", "response", "webhook", "store", "outputs", "cdn"];

export const optimizeImage: Tool = {
  title: "Optimize an image",
  tell: (document) => ({
    description:
      `${document.paths["/1.0/fetch"].post.summary} ` +
      "Without operations, the result is the smallest file that still looks the same. The answer has metadata of the " +
      "original (input) and the result (output), whose output.url can be downloaded for about an hour. Costs one credit, with srcset one for each of its files (outputs).",
    inputSchema: schemaFromDocument(document, "FetchBody", OMITTED),
  }),
  isReadOnly: false,
  isOpenWorld: true,
  call: async (args, routes) => {
    const { success: _, code: __, ...result } = await routes.call("/1.0/fetch", args);
    return result;
  },
};
