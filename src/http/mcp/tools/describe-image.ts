/** The tool that says what a picture is. */
import { facesIn, MAX_SHOWN_BYTES, PREVIEW, USUAL_ANALYSES } from "../../../agent-pictures.ts";
import type { Success } from "../../../contract/response.ts";
import type { Json } from "../protocol.ts";
import { resultSchema, shortResult, shortSchema } from "../short-schema.ts";
import { showSchema, type Tool } from "../tool.ts";

const NAMED = ["url", "analyze"];

export const describeImage: Tool = {
  title: "Describe an image",
  tell: (document) => {
    const { properties, ...rest } = shortSchema(document, "FetchBody", { whole: NAMED, without: [] });
    const show = showSchema("Also show the preview, as an image");
    const { url, analyze } = properties;
    return {
      description:
        "Fetches an image from a URL and says what it is: format, size, colors, faces (boxes in its pixels), who made it " +
        "and whether that can be trusted (image.provenance), and what analyze asks for, with a small preview by URL for " +
        "about an hour. Costs one credit.",
      inputSchema: { ...rest, properties: { url, analyze, show } },
      outputSchema: {
        type: "object",
        properties: {
          id: { type: "string" },
          image: resultSchema(document, "Input", [
            "name",
            "format",
            "width",
            "height",
            "bytes",
            "alpha",
            "frames",
            "provenance",
          ]),
          analysis: { type: "object" },
          preview: shortResult({ url: "string", width: "integer", height: "integer", bytes: "integer" }),
        },
        required: ["id", "image", "analysis", "preview"],
      },
    };
  },
  isReadOnly: true,
  isOpenWorld: true,
  call: async ({ url, analyze = USUAL_ANALYSES, show = false }, routes) => {
    const answer = (await routes.call("/1.0/fetch", { url, analyze, ...PREVIEW })) as Json & Success;
    const { id, input, output, analysis } = answer;
    const preview = { url: output.url, width: output.width, height: output.height, bytes: output.bytes };
    return {
      data: { id, image: input, analysis: { ...analysis, ...facesIn(answer) }, preview },
      picture: show === true ? await routes.read(String(output.url), MAX_SHOWN_BYTES) : undefined,
    };
  },
};
