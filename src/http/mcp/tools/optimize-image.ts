/** The tool that makes a smaller or another picture of one that is online. */
import { MAX_SHOWN_BYTES, SHOWN_FORMATS } from "../../../agent-pictures.ts";
import type { Json } from "../protocol.ts";
import { resultSchema, shortSchema } from "../short-schema.ts";
import { showSchema, type Tool } from "../tool.ts";

/**
 * Credentials, answers that go elsewhere, and bytes: nothing that an agent could read, or should hold. Each of `outputs` may
 * have a store of its own.
 */
const WITHOUT = ["headers", "response", "webhook", "store", "outputs", "cdn"];

/** What most requests name. */
const WHOLE = ["url", "optimize", "analyze"];

const RESULT = ["name", "format", "width", "height", "quality", "bytes", "saved", "score", "url", "expires_at"];

export const optimizeImage: Tool = {
  title: "Optimize an image",
  tell: (document) => {
    const { properties, ...rest } = shortSchema(document, "FetchBody", {
      whole: WHOLE,
      without: WITHOUT,
      explained: ["resize"],
    });
    const show = showSchema("Also show the result (JPEG, PNG, WebP or GIF of up to 200 kB)");
    return {
      description:
        `${document.paths["/1.0/fetch"].post.summary} ` +
        "Without operations, the result is the smallest file that still looks the same. output.url can be downloaded for " +
        "about an hour. Costs one credit, with srcset one for each of its files (outputs). Notation: `?` may be left out, " +
        "`0..100` is a range, `direction` center, top, top-right and so on, `color` RRGGBB or RRGGBBAA. A refusal names " +
        "the member and its rule.",
      inputSchema: { ...rest, properties: { ...properties, show } },
      outputSchema: {
        type: "object",
        properties: {
          id: { type: "string" },
          input: resultSchema(document, "Input", ["name", "format", "width", "height", "bytes"]),
          output: resultSchema(document, "Result", RESULT),
          outputs: { type: "object", description: "With srcset: results by name" },
          srcset: { type: "object" },
          html: { type: "string" },
          analysis: { type: "object" },
        },
        required: ["id", "input"],
      },
    };
  },
  isReadOnly: false,
  isOpenWorld: true,
  call: async ({ show = false, ...args }, routes) => {
    const { success: _, code: __, ...data } = await routes.call("/1.0/fetch", args);
    const { format, bytes, url } = (data["output"] ?? {}) as Json;
    const isShown = show === true && SHOWN_FORMATS.has(String(format)) && Number(bytes) <= MAX_SHOWN_BYTES;
    return { data, picture: isShown ? await routes.read(String(url), MAX_SHOWN_BYTES) : undefined };
  },
};
