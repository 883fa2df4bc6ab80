/** What a picture says of itself (Content Credentials), as people read it. */
import { h, moment } from "./dom.js";

/**
 * @import { Success } from "./shapes.d.ts"
 * @typedef {NonNullable<Success["input"]["provenance"]>} Summary
 * @typedef {NonNullable<NonNullable<Success["analysis"]>["provenance"]>} Chain
 * @typedef {Chain["manifests"][number]} Manifest
 */

/** @type {Readonly<Record<Summary["state"], [word: string, text: string]>>} */
const STATES = {
  trusted: ["Trusted", "signed by somebody whom the operator trusts, and unchanged since"],
  valid: ["Valid", "unchanged since it was signed, by somebody whom the operator does not know"],
  invalid: ["Invalid", "something does not match"],
  unreadable: ["Unreadable", "damaged, or beyond the bounds"],
};

/**
 * Who made an original, when, with what, and, where all of it was asked for, what was done.
 * @param {Pick<Success, "input" | "analysis">} answer
 */
export function provenanceOf({ input: { provenance }, analysis }) {
  if (!provenance) return undefined;
  const [word, text] = STATES[provenance.state];
  const failures = provenance.failures.filter((code) => code !== "signingCredential.untrusted");
  const chain = analysis?.provenance;
  return h(
    "section",
    { class: "provenance", "aria-labelledby": "provenance-title" },
    h("h3", { id: "provenance-title" }, "What the original says of itself"),
    h("p", {}, h("strong", {}, word), `: ${text}`),
    h(
      "dl",
      {},
      row("Signed by", provenance.signer),
      row("When", provenance.issued_at && moment(provenance.issued_at)),
      row("With", provenance.generator),
      row("How it came to be", provenance.digital_source_type?.split("/").at(-1)),
      failures.length > 0 && row("Wrong", failures.join(", ")),
      row("To be known", provenance.informational?.join(", ")),
    ),
    chain
      ? h("ol", {}, chain.manifests.map(manifestItem))
      : h("p", { class: "hint" }, "What was done is told with ", h("code", {}, "provenance"), " in analyze."),
  );
}

/**
 * @param {string} name
 * @param {string | HTMLElement | undefined} value
 */
function row(name, value) {
  return value !== undefined && value !== "" && h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** @param {Manifest} manifest */
function manifestItem({ signer, generator, issued_at: at, actions, ingredients, failures, informational = [] }) {
  const who = [signer ?? "Somebody unnamed", generator && ` with ${generator}`, at && [" at ", moment(at)]];
  const parts = ingredients.map(({ title, format, relationship, manifest }) => {
    const own = manifest === undefined ? "without Content Credentials" : `number ${manifest + 1}`;
    return `${relationship}: ${title ?? format ?? "a file"}, ${own}`;
  });
  const done = actions.map(({ action }) => action).join(", ");
  const lines = [done, ...parts, ...failures, ...informational].filter(Boolean);
  return h(
    "li",
    {},
    who,
    lines.length > 0 &&
      h(
        "ul",
        {},
        lines.map((line) => h("li", {}, line)),
      ),
  );
}
