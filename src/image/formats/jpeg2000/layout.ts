/** What the samples of a JPEG 2000 file mean: components, palette, channels, color space. */
import type { Layout, Model } from "../../../../wasm/jpeg2000/decoder.ts";
import { type ChannelSource, ENUMERATED, type Jp2File, unusable } from "./boxes.ts";
import type { Codestream, Component } from "./codestream.ts";

/** Where a profile says what it is for (ICC.1, 7.2.6). */
const PROFILE_SPACE = 16;
const PROFILE_SPACES: Readonly<Record<string, Model>> = { GRAY: "gray", "RGB ": "rgb", CMYK: "cmyk" };
const ENUMERATED_SPACES: Readonly<Record<number, Model>> = {
  [ENUMERATED.cmyk]: "cmyk",
  [ENUMERATED.srgb]: "rgb",
  [ENUMERATED.gray]: "gray",
  [ENUMERATED.sycc]: "ycc",
};
const COLORS: Readonly<Record<Model, number>> = { gray: 1, rgb: 3, ycc: 3, cmyk: 4, inks: 4 };
const ALL_COLORS = 0;

/** @throws ApiError 422 when there are fewer channels than the color space has, or none that is supported */
export function layoutOf(file: Jp2File, stream: Codestream): Layout {
  const channels = channelsOf(file, stream);
  const { colors, alpha } = rolesOf(file, channels, stream);
  const model = modelOf(file, stream, colors);
  const used = colors.slice(0, COLORS[model]);
  if (used.length < COLORS[model]) throw unusable("has too few channels");
  const [stepX, stepY] = [least(stream, (component) => component.stepX), least(stream, ({ stepY: step }) => step)];
  for (const { component } of alpha ? [...used, alpha] : used) {
    const found = stream.components[component];
    if (!found || found.stepX % stepX !== 0 || found.stepY % stepY !== 0)
      throw unusable("has an unsupported subsampling");
  }
  return { model, colors: used, alpha, palette: file.palette ?? [], step: [stepX, stepY] };
}

function channelsOf({ palette, mapping }: Jp2File, { components }: Codestream): readonly ChannelSource[] {
  if (!palette) return components.map((_, component) => ({ component, column: undefined }));
  const channels = mapping ?? palette.map((_, column) => ({ component: 0, column }));
  const exist = ({ component, column }: ChannelSource) =>
    component < components.length && (column === undefined || column < palette.length);
  if (channels.length > 5 || !channels.every(exist)) throw unusable("has a damaged palette");
  return channels;
}

/** Which channels are colors, in their order, and which is alpha. */
function rolesOf(file: Jp2File, channels: readonly ChannelSource[], stream: Codestream) {
  const { definitions } = file;
  if (!definitions) {
    // Writers that say nothing mean alpha where one channel follows gray or three colors.
    const count = channels.length;
    const space = declaredModel(file);
    const expected = space ? COLORS[space] : count === 2 ? 1 : count >= 3 ? 3 : count;
    const extra = count === expected + 1 ? channels[expected] : undefined;
    return { colors: channels.slice(0, expected), alpha: extra && { ...extra, premultiplied: false } };
  }
  const colors: ChannelSource[] = [];
  const unassigned: ChannelSource[] = [];
  let alpha: Layout["alpha"];
  channels.forEach((source, index) => {
    const definition = definitions.find(({ channel }) => channel === index) ?? {
      kind: 0,
      association: index + 1,
    };
    if (definition.kind === 0 && definition.association >= 1) colors[definition.association - 1] = source;
    // Some writers associate the only color with all of the picture; OpenJPEG leaves such channels where they are.
    if (definition.kind === 0 && definition.association === ALL_COLORS) unassigned.push(source);
    const opacity = definition.kind === 1 || definition.kind === 2;
    if (opacity && definition.association === ALL_COLORS) alpha = { ...source, premultiplied: definition.kind === 2 };
  });
  for (let at = 0; unassigned.length > 0; at++) colors[at] ??= unassigned.shift()!;
  if (Object.keys(colors).length !== colors.length || stream.components.length === 0)
    throw unusable("has damaged channel definitions");
  return { colors, alpha };
}

function declaredModel({ color }: Jp2File): Model | undefined {
  if (color?.enumerated !== undefined) return ENUMERATED_SPACES[color.enumerated];
  if (!color?.profile) return undefined;
  return PROFILE_SPACES[String.fromCharCode(...color.profile.subarray(PROFILE_SPACE, PROFILE_SPACE + 4))];
}

function modelOf(file: Jp2File, { components }: Codestream, colors: readonly ChannelSource[]): Model {
  const declared = declaredModel(file);
  if (file.color && declared === undefined) throw unusable("has an unsupported color space");
  if (declared === "ycc" && colors.length < 3) return "gray";
  if (declared) return declared;
  if (colors.length < 3) return "gray";
  return isSubsampled(components) ? "ycc" : "rgb";
}

/** Chroma is stored at less resolution than luma, which makes sense of no other model. */
function isSubsampled([luma, ...chroma]: readonly Component[]): boolean {
  const coarser = (component: Component) => component.stepX > luma!.stepX || component.stepY > luma!.stepY;
  return chroma.length >= 2 && chroma.slice(0, 2).every(coarser);
}

function least({ components }: Codestream, of: (component: Component) => number): number {
  return Math.min(...components.map(of));
}
