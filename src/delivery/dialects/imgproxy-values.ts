/** Values of the options of imgproxy's dialect that are more than a number. */
import { ApiError } from "../../errors.ts";
import { MAX_NAME_CHARACTERS, MAX_SIDE_PIXELS } from "../../limits.ts";
import { notOffered, number, whole } from "../asked.ts";
import type { Wish } from "./imgproxy-wish.ts";

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

export function direction(name: string, [type = "ce", x = "0", y = "0"]: readonly string[]): string {
  const found = Object.hasOwn(GRAVITIES, type) ? GRAVITIES[type] : undefined;
  if (found === undefined) throw new ApiError(422, `${name} must be one of ${Object.keys(GRAVITIES).join(", ")}`);
  if (Number(x) !== 0 || Number(y) !== 0) throw notOffered(`${name} with offsets`);
  return found;
}

/** What `resize` keeps. */
export function placeOf(name: string, values: readonly string[]): Readonly<Record<string, unknown>> {
  const [type = "ce", x = "", y = ""] = values;
  if (type === "sm") return { gravity: "auto" };
  if (type === "fp") return { focus: { x: number(name, x, 0, 1), y: number(name, y, 0, 1) } };
  const gravity = direction(name, values);
  return gravity === "center" ? {} : { gravity };
}

export function readCrop(wish: Wish, values: readonly string[], name: string): void {
  const [w = "0", h = "0", ...gravity] = values;
  const across = number(name, w || "0", 0, MAX_SIDE_PIXELS);
  const down = number(name, h || "0", 0, MAX_SIDE_PIXELS);
  if (across === 0 && down === 0) return;
  wish.concerns.add("other");
  const isShare = (side: number) => side > 0 && side < 1;
  if (isShare(across) || isShare(down)) throw notOffered(`${name} by shares`);
  // A whole side is as much as there is.
  const region = { width: Math.round(across) || MAX_SIDE_PIXELS, height: Math.round(down) || MAX_SIDE_PIXELS };
  const [type, x = "0", y = "0"] = gravity;
  if (type === "nowe" && (Number(x) >= 1 || Number(y) >= 1)) {
    wish.crop = { ...region, x: whole(name, x, 0, MAX_SIDE_PIXELS), y: whole(name, y, 0, MAX_SIDE_PIXELS) };
    return;
  }
  const place = type === undefined ? wish.place : placeOf(name, gravity);
  if (place["focus"]) throw notOffered(`${name} with gravity fp`);
  wish.crop = { ...region, ...place };
}

export function readFileName(wish: Wish, [value = "", encoded = ""]: readonly string[], name: string): void {
  if (value === "") return;
  wish.concerns.add("other");
  let text = value;
  try {
    const bytes = () => Uint8Array.fromBase64(value.replace(/=+$/, ""), { alphabet: "base64url" });
    text = isTrue(encoded)
      ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes())
      : decodeURIComponent(value);
  } catch {
    throw new ApiError(422, `${name} must be a file name, in base64url where its second value says so`);
  }
  wish.fileName = text.slice(0, MAX_NAME_CHARACTERS);
}
