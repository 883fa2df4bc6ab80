/** What agents are shown of pictures: by the service, and by the command, which sends it files of a machine. */

/** A preview is enough to look at, and costs a fraction of the processor time of the picture as it is. */
export const PREVIEW = {
  resize: { width: 640, height: 640, upscale: false },
  output: { format: "webp", animation: false },
  optimize: { quality: 75 },
} as const;

/** What an agent can make use of without asking for more. */
export const USUAL_ANALYSES = ["color", "palette", "faces"] as const;

/** Bytes of an image that go to a model with an answer: some thousand tokens, whatever the picture. */
export const MAX_SHOWN_BYTES = 200_000;

/** Formats that models are shown, by their names in answers, and their types. */
export const SHOWN_FORMATS: ReadonlyMap<string, string> = new Map([
  ["JPEG", "image/jpeg"],
  ["PNG", "image/png"],
  ["WEBP", "image/webp"],
  ["GIF", "image/gif"],
]);

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

interface Described {
  readonly input: Size;
  readonly output: Size;
  readonly analysis?: { readonly faces?: readonly Box[] | undefined } | undefined;
}

/** Faces in pixels of the picture: they were found in its preview. */
export function facesIn({ input, output, analysis }: Described): { readonly faces?: readonly Box[] } {
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
