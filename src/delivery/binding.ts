/**
 * Steps of the platform's image binding (https://developers.cloudflare.com/images/transform-images/bindings/) as requests.
 * The binding works off its steps one by one; a request has one order of operations. So steps that are in this order
 * are one request, and what comes too late for it begins the next.
 */
import { operationEntries } from "../contract/members.ts";
import { ApiError } from "../errors.ts";
import type { DerivationBody } from "./asked.ts";
import { cssColor } from "./css-color.ts";
import { edgeNetwork } from "./dialects/edge-network.ts";

/** What `transform` takes, before it is judged. */
export type Transform = Readonly<Record<string, unknown>>;

/** One request of a chain, and the pictures that it lays on others, by their names in it. */
export interface Pass<Picture> {
  readonly body: DerivationBody;
  readonly drawn: ReadonlyMap<string, Picture>;
}

/** Requests of one chain: each is charged like any other. */
const MAX_PASSES = 8;
/** Members of `transform` that are numbers or words of an address as they are. */
const PLAIN: readonly string[] = [
  "width",
  "height",
  "fit",
  "background",
  "blur",
  "brightness",
  "contrast",
  "flip",
  "gamma",
  "rotate",
  "saturation",
  "sharpen",
];
const ORDER = Object.keys(operationEntries);

/**
 * The members of a request that do what one call of `transform` does.
 * @throws ApiError 422 naming an option that is unknown, breaks a rule or is not offered
 */
export function transformBody(transform: Transform): DerivationBody {
  const options: string[] = [];
  let focus: { x: number; y: number } | undefined;
  let bordered: DerivationBody = {};
  const add = (name: string, value: unknown) => options.push(`${name}=${encodeURIComponent(textOf(name, value))}`);
  for (const [name, value] of Object.entries(transform)) {
    if (value === undefined || value === null) continue;
    if (PLAIN.includes(name)) add(name, value);
    else if (name === "gravity") {
      focus = centeredAt(value);
      if (!focus) add(name, gravityOf(value));
    } else if (name === "trim") for (const [key, one] of trimOptions(value)) add(key, one);
    else if (name === "border") bordered = borderOf(value);
    else throw unknownOption(name);
  }
  const spelled = { signature: undefined, signed: "", options: options.join(",") || "-", source: undefined };
  const { resize, ...body } = edgeNetwork.read(spelled).body;
  // A point is of use where there is something to be cut.
  return {
    ...body,
    ...(resize !== undefined && { resize: { ...(resize as object), ...(focus && { focus }) } }),
    ...bordered,
  };
}

/** Names of options are shown when they look like names. */
function unknownOption(name: string): ApiError {
  return new ApiError(422, `${/^\w{1,32}$/.test(name) ? name : "an option"} is not a known option`);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new ApiError(422, `${name} must be a text or a number`);
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(name: string, value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new ApiError(422, `${name} must be an object`);
}

/** A point of the picture around which is cut; undefined where `gravity` means something else. */
function centeredAt(value: unknown): { x: number; y: number } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { mode, x = 0.5, y = 0.5 } = value as Members;
  if (mode !== "box-center" || typeof x !== "number" || typeof y !== "number") return undefined;
  return { x, y };
}

function gravityOf(value: unknown): string {
  // The word `entropy` is what `auto` does where there is no face.
  if (typeof value === "string") return value === "entropy" ? "auto" : value === "center" ? "0.5x0.5" : value;
  const { x = 0.5, y = 0.5 } = membersOf("gravity", value);
  return `${textOf("gravity", x)}x${textOf("gravity", y)}`;
}

function trimOptions(value: unknown): [name: string, value: unknown][] {
  if (typeof value === "string") return [["trim", value]];
  return Object.entries(membersOf("trim", value)).flatMap(([name, member]): [string, unknown][] => {
    if (member === undefined || member === false) return [];
    if (name !== "border") return [[`trim.${name}`, member]];
    if (member === true) return [["trim", "border"]];
    const within = Object.entries(membersOf("trim.border", member));
    const named = within.map(([key, one]): [string, unknown] => [`trim.border.${key}`, one]);
    return named.length === 0 ? [["trim", "border"]] : named;
  });
}

/** Canvas around the picture: the binding's borders make it larger. */
function borderOf(value: unknown): DerivationBody {
  const { color = "black", width, ...sides } = membersOf("border", value);
  const background = cssColor(textOf("border.color", color));
  if (background === undefined) throw new ApiError(422, "border.color must be a color of CSS");
  return { padding: { ...(width !== undefined && { size: width }), ...sides, background } };
}

/** What `draw` may say, before it is judged. */
export type DrawOptions = Readonly<Record<string, unknown>>;

/**
 * The member of a request that lays a picture on another.
 * @param id the name of the picture
 * @throws ApiError 422 naming an option that is unknown or not offered
 */
export function drawBody(id: string, options: DrawOptions): DerivationBody {
  const { opacity = 1, repeat = false, composite = "over", top, left, bottom, right, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw unknownOption(unknown);
  if (repeat !== false) throw new ApiError(422, "repeat is not offered");
  if (composite !== "over") throw new ApiError(422, "composite is not offered but as over");
  if (top !== undefined && left !== undefined) return { watermark: { id, opacity, x: left, y: top } };
  const vertical = top === undefined ? (bottom === undefined ? "" : "bottom") : "top";
  const horizontal = left === undefined ? (right === undefined ? "" : "right") : "left";
  const distances = [top ?? bottom, left ?? right].filter((distance) => distance !== undefined);
  const [padding = 0, other = padding] = distances;
  if (padding !== other)
    throw new ApiError(422, "draw must be as far from both edges where one of them is bottom or right");
  const gravity = [vertical, horizontal].filter((side) => side !== "").join("-") || "center";
  return { watermark: { id, opacity, gravity, padding } };
}

/**
 * Steps in as few requests as do the same.
 * @throws ApiError 422 where they are too many
 */
export function passesOf<Picture>(steps: readonly Pass<Picture>[]): Pass<Picture>[] {
  const passes: Pass<Picture>[] = [];
  for (const step of steps) {
    const last = passes.at(-1);
    if (last && follows(last.body, step.body)) {
      passes[passes.length - 1] = {
        body: { ...last.body, ...step.body },
        drawn: new Map([...last.drawn, ...step.drawn]),
      };
    } else passes.push(step);
  }
  if (passes.length > MAX_PASSES)
    throw new ApiError(
      422,
      `transform must be given at most ${MAX_PASSES} times in another order than that of a request`,
    );
  return passes.length === 0 ? [{ body: {}, drawn: new Map() }] : passes;
}

/** Whether everything of a step comes after everything that is there. */
function follows(before: DerivationBody, after: DerivationBody): boolean {
  const places = (body: DerivationBody) => Object.keys(body).map((name) => ORDER.indexOf(name));
  return Math.max(-1, ...places(before)) < Math.min(Infinity, ...places(after));
}
