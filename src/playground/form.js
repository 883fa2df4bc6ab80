/** The form of a request's body, made from its schema: sorted by what somebody wants to do, not by the API. */
import { h } from "./dom.js";
import { fieldOf, members, restOf } from "./fields.js";
import { resolve } from "./schema.js";
import { srcsetField } from "./srcset-field.js";

/**
 * @import { ApiDocument, Field, Schema, Setting } from "./shapes.d.ts"
 * @typedef {object} Job
 * @property {string} id
 * @property {string} name
 * @property {boolean} isOpen
 * @property {readonly (readonly [member: string, main: readonly string[]])[]} split whose main fields are shown, and the others folded
 * @property {readonly string[]} whole folded
 */

/** The jobs of the form, those that matter first. What the API has besides is for developers. */
const JOBS = /** @type {const} */ ([
  {
    id: "size",
    name: "Size",
    isOpen: true,
    split: [["resize", ["width", "height", "mode", "upscale"]]],
    whole: ["scale", "upscale", "padding", "srcset"],
  },
  {
    id: "format",
    name: "Format and quality",
    isOpen: true,
    split: [
      ["output", ["format"]],
      ["optimize", ["compression", "target_bytes"]],
    ],
    whole: [],
  },
  {
    id: "crop",
    name: "Crop",
    isOpen: true,
    split: [["crop", ["mode", "ratio", "gravity"]]],
    whole: ["trim", "rotate", "flip"],
  },
  {
    id: "look",
    name: "Look",
    isOpen: true,
    split: [
      ["adjust", ["brightness", "contrast", "saturation"]],
      ["auto", ["enhance"]],
    ],
    whole: ["filter", "border", "mask", "background"],
  },
  { id: "marks", name: "Words and marks", isOpen: false, split: [], whole: ["text", "watermark", "redact"] },
]);
const OTHERS = /** @type {const} */ ({ id: "developers", name: "For developers", isOpen: false, split: [] });
/** The page shows both the JSON and the images, so it asks for JSON; `outputs` are for programs, and `cdn` for other clients. */
const SKIPPED = ["response", "outputs", "cdn"];

/**
 * The body of `POST /1.0/upload`; reads as undefined when nothing is set.
 * @param {ApiDocument} root
 * @returns {Field}
 */
export function createForm(root) {
  const part =
    root.paths["/1.0/upload"]?.["post"]?.requestBody?.content["multipart/form-data"]?.schema.properties?.["data"];
  const { properties = {} } = resolve(root, part) ?? {};
  const named = new Set([
    ...SKIPPED,
    ...JOBS.flatMap(({ split, whole }) => [...split.map(([name]) => name), ...whole]),
  ]);
  const others = { ...OTHERS, whole: Object.keys(properties).filter((name) => !named.has(name)) };
  const jobs = [...JOBS, others].map((job) => jobOf(job, { root, properties }));
  const settings = jobs.flatMap((job) => job.settings);
  const element = h("div", { class: "jobs" }, jobs.map(elementOf));
  element.addEventListener("input", ({ target }) => cutByShape(element, target));
  return {
    element,
    read: () => valuesOf(settings),
    write: (body) => {
      for (const [name, setting] of settings) setting.write(body?.[name]);
      for (const { recount } of jobs) recount();
    },
  };
}

/** @param {{ element: HTMLElement }} job */
function elementOf({ element }) {
  return element;
}

/**
 * Whoever writes a shape wants to cut by it.
 * @param {HTMLElement} form
 * @param {EventTarget | null} changed
 */
function cutByShape(form, changed) {
  const mode = form.querySelector("#op-crop-mode");
  if (!(changed instanceof HTMLInputElement && changed.id === "op-crop-ratio")) return;
  if (!(mode instanceof HTMLSelectElement)) return;
  if (changed.value !== "" && mode.value === "") mode.value = "ratio";
  if (changed.value === "" && mode.value === "ratio") mode.value = "";
}

/** @param {readonly (readonly [name: string, setting: Setting])[]} settings */
function valuesOf(settings) {
  const set = settings.map(([name, setting]) => [name, setting.read()]).filter(([, value]) => value !== undefined);
  return set.length === 0 ? undefined : Object.fromEntries(set);
}

/**
 * @param {Pick<Job, "id" | "name" | "isOpen" | "split" | "whole">} job
 * @param {{ root: ApiDocument, properties: Readonly<Record<string, Schema>> }} api
 */
function jobOf({ id, name, isOpen, split, whole }, { root, properties }) {
  /** @type {[string, Setting][]} */
  const settings = [];
  /** @type {HTMLElement[]} */
  const main = [];
  /** @type {HTMLElement[]} */
  const folded = [];
  for (const [member, names] of split) {
    const schema = resolve(root, properties[member]);
    if (!schema) continue;
    const seen = members(schema, { root, id: `op-${member}`, only: names });
    const rest = restOf(schema, { root, name: member, id: `op-${member}`, skip: names });
    main.push(...seen.elements);
    folded.push(rest.element);
    settings.push([member, together(seen, rest)]);
  }
  for (const member of whole) {
    const field =
      member === "srcset" ? srcsetField() : fieldOf(root, properties[member], { name: member, id: `op-${member}` });
    if (!field) continue;
    folded.push(field.element);
    settings.push([member, field]);
  }
  const count = h("span", { class: "count" });
  const element = h(
    "details",
    { class: "job", id: `job-${id}`, open: isOpen },
    h("summary", {}, h("h2", {}, name), count),
    main.length > 0 && h("div", { class: "group-body" }, main),
    main.length > 0 ? moreOf(folded) : folded,
  );
  const recount = () => {
    const set = Object.keys(valuesOf(settings) ?? {}).length;
    count.textContent = set === 0 ? "" : `${set} set`;
    if (set > 0) element.open = true;
    const more = element.querySelector(".more");
    if (more instanceof HTMLDetailsElement && folded.some((one) => one.matches("[open]"))) more.open = true;
  };
  element.addEventListener("input", recount);
  return { element, settings, recount };
}

/**
 * What is needed less often, behind one line that says what it is.
 * @param {readonly HTMLElement[]} folded
 */
function moreOf(folded) {
  const names = folded.map((one) => one.querySelector("summary > span")?.textContent ?? "");
  return h(
    "details",
    { class: "more" },
    h("summary", {}, h("span", {}, "More"), " ", h("span", { class: "hint" }, names.join(" · "))),
    folded,
  );
}

/**
 * Two parts of one object.
 * @param {Setting} one
 * @param {Setting} other
 * @returns {Setting}
 */
function together(one, other) {
  return {
    read: () => {
      const value = { ...one.read(), ...other.read() };
      return Object.keys(value).length === 0 ? undefined : value;
    },
    write: (value) => {
      one.write(value);
      other.write(value);
    },
  };
}
