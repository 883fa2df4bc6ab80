/** Settings by what a picture is for: each sets the controls, which can be moved from there. */
import { h } from "./dom.js";

/** @import { UploadBody } from "./shapes.d.ts" */

/** @type {readonly { readonly name: string, readonly body: UploadBody }[]} */
const PURPOSES = [
  { name: "Hero 1,600", body: { resize: { width: 1600, upscale: false }, output: { format: "auto" } } },
  {
    name: "Avatar",
    body: { resize: { width: 256, height: 256, mode: "fit", gravity: "face" }, output: { format: "auto" } },
  },
  { name: "Under 100 KB", body: { output: { format: "auto" }, optimize: { target_bytes: 100_000 } } },
  { name: "As small as looks the same", body: { output: { format: "auto" } } },
];

/**
 * `{ element, mark(body) }`
 * @param {{ read: () => UploadBody | undefined, onPick: (body: UploadBody | undefined) => void }} ports
 */
export function createPurposes({ read, onPick }) {
  const buttons = PURPOSES.map(({ name, body }) => {
    const button = h("button", { type: "button", class: "quiet small", "aria-pressed": "false" }, name);
    button.addEventListener("click", () => onPick(withPurpose(read(), isFor(read(), body) ? {} : body)));
    return { button, body };
  });
  const element = h(
    "div",
    { class: "purposes", role: "group", "aria-label": "Settings for a purpose" },
    buttons.map(({ button }) => button),
  );
  return {
    element,
    mark: (/** @type {UploadBody | undefined} */ body) => {
      for (const one of buttons) one.button.setAttribute("aria-pressed", String(isFor(body, one.body)));
    },
  };
}

/**
 * Settings with another purpose: size, cut, format and quality are of it, everything else stays.
 * @param {UploadBody | undefined} settings
 * @param {UploadBody} purpose
 * @returns {UploadBody | undefined}
 */
function withPurpose(settings, purpose) {
  const { resize: _size, crop: _cut, optimize: _quality, output, ...rest } = settings ?? {};
  const { format: _format, quality: _number, ...file } = output ?? {};
  const written = { ...file, ...purpose.output };
  const body = { ...rest, ...purpose, ...(Object.keys(written).length > 0 && { output: written }) };
  return Object.keys(body).length === 0 ? undefined : body;
}

/**
 * @param {UploadBody | undefined} settings
 * @param {UploadBody} purpose
 */
function isFor({ resize, crop, optimize, output } = {}, purpose) {
  const { format, quality } = output ?? {};
  return (
    crop === undefined &&
    quality === undefined &&
    format === purpose.output?.format &&
    isSame(resize, purpose.resize) &&
    isSame(optimize, purpose.optimize)
  );
}

/**
 * @param {object | undefined} one
 * @param {object | undefined} other
 */
function isSame(one, other) {
  const sorted = (/** @type {object | undefined} */ value) =>
    JSON.stringify(Object.entries(value ?? {}).sort(([name], [next]) => (name < next ? -1 : 1)));
  return sorted(one) === sorted(other);
}
