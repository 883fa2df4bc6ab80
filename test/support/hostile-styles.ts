/** Drawings whose style sheets say what takes long of every element, or ask it of every element. */
const NAME = "a".repeat(100);

/** One value each, which is short to look at once. */
const VALUES: Readonly<Record<string, string>> = {
  calculations: `stroke-dasharray:${"calc(1px + 1px) ".repeat(900)}`,
  transformations: `transform:${"rotate(1deg) ".repeat(1_000)}`,
  "mixed colors": `fill:${"color-mix(in srgb,".repeat(800)}red${",red)".repeat(800)}`,
  "colors in colors": `fill:${"lab(".repeat(4_000)}${")".repeat(4_000)}`,
  "shapes that cut off": `clip-path:polygon(${"1px 1px,".repeat(4_000)}1px 1px)`,
  units: `stroke-dasharray:${"1vw ".repeat(9_000)}`,
  "important words": `--x:${"! ".repeat(9_000)}important a`,
  "a variable of many letters": `--x:"${"a".repeat(60_000)}"`,
  "variables of nothing": `--e:;stroke-dasharray:${"var(--e) ".repeat(4_900)}`,
};

/** What makes such a drawing of about so many bytes. */
export const STYLED: Readonly<Record<string, (bytes: number) => Uint8Array>> = {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([what, value]) => [
      `SVG, ${what} of every element`,
      (bytes: number) => drawing(`rect{${value}}`, `<rect class="${NAME}"/>`, bytes),
    ]),
  ),
  "SVG, attributes that every rule looks through": (bytes) =>
    drawing(
      Array.from({ length: 1_500 }, (_, at) => `[x*="${"a".repeat(50)}b${at}"]{x:y}`).join(""),
      `<rect x="${"a".repeat(60_000)}"/>`,
      bytes,
    ),
};

function drawing(style: string, element: string, bytes: number): Uint8Array {
  const elements = element.repeat(Math.ceil(bytes / element.length));
  return new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><style>${style}</style>${elements}</svg>`,
  );
}
