/** The tool that says what a picture is. */
import type { InputMetadata, Success } from "../../../contract/response.ts";
import type { Json } from "../protocol.ts";
import { resultSchema, shortSchema } from "../short-schema.ts";
import { MAX_SHOWN_BYTES, showSchema, type Tool } from "../tool.ts";

/** What an agent can make use of without asking for more. */
const USUAL = ["color", "palette", "faces"];

const NAMED = ["url", "analyze"];

/** A preview is enough to look at, and costs a fraction of the processor time of the picture as it is. */
const PREVIEW = {
  resize: { width: 640, height: 640, upscale: false },
  output: { format: "webp", animation: false },
  optimize: { quality: 75 },
} as const;

export const describeImage: Tool = {
  title: "Describe an image",
  tell: (document) => {
    const { properties, ...rest } = shortSchema(document, "FetchBody", { whole: NAMED, without: [] });
    const show = showSchema("Also show the preview, as an image");
    const { url, analyze } = properties;
    return {
      description:
        "Fetches an image from a URL and says what it is: its format, size and colors, where faces are (in pixels of the " +
        "image), who made it and whether that can be trusted, where it says so (image.provenance), and what else is asked for with analyze. The answer has a small preview by URL, for about an hour. " +
        "Costs one credit, as fetching does.",
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
          preview: {
            type: "object",
            properties: {
              url: { type: "string" },
              width: { type: "integer" },
              height: { type: "integer" },
              bytes: { type: "integer" },
            },
          },
        },
        required: ["id", "image", "analysis", "preview"],
      },
    };
  },
  isReadOnly: true,
  isOpenWorld: true,
  call: async ({ url, analyze = USUAL, show = false }, routes) => {
    const answer = (await routes.call("/1.0/fetch", { url, analyze, ...PREVIEW })) as Json & Success;
    const { id, input, output, analysis } = answer;
    const preview = { url: output.url, width: output.width, height: output.height, bytes: output.bytes };
    return {
      data: { id, image: input, analysis: { ...analysis, ...facesIn(input, answer) }, preview },
      picture: show === true ? await routes.read(String(output.url), MAX_SHOWN_BYTES) : undefined,
    };
  },
};

/** Faces are found in the preview; whoever asks means the picture. */
function facesIn(input: InputMetadata, { output, analysis }: Success): Json {
  if (!analysis?.faces) return {};
  const [across, down] = [input.width / output.width, input.height / output.height];
  const faces = analysis.faces.map(({ x, y, width, height }) => ({
    x: Math.round(x * across),
    y: Math.round(y * down),
    width: Math.round(width * across),
    height: Math.round(height * down),
  }));
  return { faces };
}
