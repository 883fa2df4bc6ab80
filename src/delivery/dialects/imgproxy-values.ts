/** Values of the options of imgproxy's dialect that are more than a number. */
import { ApiError } from "../../errors.ts";
import { baseName } from "../../files.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { withoutEnd } from "../../without-end.ts";
import { number } from "../asked.ts";
import type { Place, Parsed } from "./imgproxy-parsed.ts";

const GRAVITIES: Readonly<Record<string, string>> = {
  no: "top",
  so: "bottom",
  ea: "right",
  we: "left",
  noea: "top-right",
  nowe: "top-left",
  soea: "bottom-right",
  sowe: "bottom-left",
  ce: "center",
};

export function isTrue(value: string): boolean {
  return value === "1" || value === "t" || value === "true";
}

/** Where a picture is put on a canvas. */
export function direction(name: string, [type = "ce", x = "", y = ""]: readonly string[]): Place {
  const found = Object.hasOwn(GRAVITIES, type) ? GRAVITIES[type] : undefined;
  if (found === undefined) throw new ApiError(422, `${name} must be one of ${Object.keys(GRAVITIES).join(", ")}`);
  const [across, down] = [x, y].map((value) => number(name, value || "0", -MAX_SIDE_PIXELS, MAX_SIDE_PIXELS));
  return {
    ...(found !== "center" && { gravity: found }),
    ...((across || down) && { offset: { x: across ?? 0, y: down ?? 0 } }),
  };
}

/** What `resize` keeps. */
export function placeOf(name: string, values: readonly string[]): Place {
  const [type = "ce", x = "", y = ""] = values;
  if (type === "sm") return { gravity: "auto" };
  if (type === "fp") return { focus: { x: number(name, x, 0, 1), y: number(name, y, 0, 1) } };
  return direction(name, values);
}

export function readCrop(parsed: Parsed, values: readonly string[], name: string): void {
  const [w = "0", h = "0", ...gravity] = values;
  const across = number(name, w || "0", 0, MAX_SIDE_PIXELS);
  const down = number(name, h || "0", 0, MAX_SIDE_PIXELS);
  if (across === 0 && down === 0) return;
  parsed.concerns.add("other");
  const [type] = gravity;
  parsed.crop = {
    width: side(across),
    height: side(down),
    place: type === undefined || type === "" ? undefined : placeOf(name, gravity),
  };
}

/** Below 1 a part; a whole side is as much as there is. */
function side(value: number): number {
  return value < 1 ? value || MAX_SIDE_PIXELS : Math.floor(value);
}

export function readFileName(parsed: Parsed, [value = "", encoded = ""]: readonly string[], name: string): void {
  if (value === "") return;
  parsed.concerns.add("other");
  let text = value;
  try {
    const bytes = () => Uint8Array.fromBase64(withoutEnd(value, "="), { alphabet: "base64url" });
    text = isTrue(encoded)
      ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes())
      : decodeURIComponent(value);
  } catch {
    throw new ApiError(422, `${name} must be a file name, in base64url where its second value says so`);
  }
  parsed.fileName = baseName(text) || undefined;
}
