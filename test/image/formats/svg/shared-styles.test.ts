/** Values that a rule says of thousands of elements, which each works out anew: they count as often as they are said. */
import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { withoutCalc } from "../../../../src/image/formats/svg/calc.ts";
import { writtenColor } from "../../../../src/image/formats/svg/colors.ts";
import { decodeFile } from "../../../support/files.ts";
import { STYLED } from "../../../support/hostile-styles.ts";

const BYTES = 500_000;

describe("a drawing whose rules say much of every element", () => {
  it.each(Object.entries(STYLED))("is refused before all is worked out: %s", async (_, made) => {
    await expect(decodeFile(svg, made(BYTES))).rejects.toMatchObject({
      status: 422,
      message: "The SVG file has too many style rules for so many elements",
    });
  });

  it("is drawn where a class of usual length is said of 10,000 elements", async () => {
    const rule = "rect{fill:#1f77b4;stroke:var(--line,#fff);stroke-width:calc(1px / 2);opacity:.5;--line:red}";
    const elements = '<rect width="1" height="1"/>'.repeat(10_000);
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><style>${rule}</style>${elements}</svg>`;
    await expect(decodeFile(svg, new TextEncoder().encode(text))).resolves.toBeDefined();
  });
});

describe("one value", () => {
  it("may have many calculations, each told by the text before it", () => {
    const seen: string[] = [];
    const wholeOf = (before: string) => seen.push(before);
    expect(withoutCalc("a(calc(1px + 1px), -webkit-calc(calc(2px) * 3)) calculate(1)", wholeOf)).toBe(
      "a(2, 6) calculate(1)",
    );
    expect(seen).toEqual(["a(", "a(2, "]);
    expect(withoutCalc("calc(1px) ".repeat(1_000))).toBe("1 ".repeat(1_000));
    expect(withoutCalc("calc(1px) ".repeat(1_001))).toBeUndefined();
  });

  it("is no color beyond a thousand letters", () => {
    const spaced = (letters: number) => `rgb(1,2,${" ".repeat(letters - 10)}3)`;
    expect(writtenColor(spaced(1_000), "black")).toBe("rgb(1,2,3)");
    expect(writtenColor(spaced(1_001), "black")).toBeUndefined();
  });
});
