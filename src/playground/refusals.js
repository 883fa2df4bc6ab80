/** What went wrong: in the API's own words, and beside the field that it is about. */
import { byId, fill, h } from "./dom.js";
import { Refusal } from "./request.js";

/**
 * @param {unknown} error
 * @param {{ isAsked?: boolean }} [how] whether somebody asked for the file: then the field that is wrong has the focus, and
 * else it stays where it is, since a preview comes while somebody types
 */
export function showRefusal(error, { isAsked = false } = {}) {
  clearRefusal();
  const refusal = error instanceof Refusal ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  byId("error").hidden = false;
  fill(
    byId("error"),
    h("strong", {}, refusal?.status ? refusal.status : "Not sent"),
    h("span", {}, message),
    refusal?.answer?.id && h("small", {}, `Request ${refusal.answer.id}`),
  );
  const field = refusal?.answer?.param ? markField(refusal.answer.param, message) : undefined;
  if (!isAsked) return;
  byId("error").scrollIntoView({ block: "nearest" });
  field?.focus({ preventScroll: true });
  // What it says below itself is seen as well.
  field?.closest(".field")?.scrollIntoView({ block: "center" });
}

export function clearRefusal() {
  byId("error").hidden = true;
  for (const said of document.querySelectorAll(".field-error")) said.remove();
  for (const control of document.querySelectorAll("#request [aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-describedby");
  }
}

/**
 * The field of a member, or of the nearest one around it that has a field, is opened and says what is wrong with it.
 * @param {string} member its path, as `resize.width`
 * @param {string} message
 * @returns {HTMLElement | undefined} the control that was marked
 */
function markField(member, message) {
  const names = member.split(/[.[\]]+/).filter((name) => name !== "");
  for (let count = names.length; count > 0; count -= 1) {
    const id = `op-${names.slice(0, count).join("-")}`;
    const control = document.getElementById(id);
    if (!control) continue;
    for (let group = control.closest("details"); group; group = group.parentElement?.closest("details") ?? null) {
      group.open = true;
    }
    if (control instanceof HTMLDetailsElement) return undefined;
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", `${id}-error`);
    control
      .closest(".field")
      ?.append(h("p", { class: "field-error", id: `${id}-error` }, withoutName(message, member)));
    return control;
  }
  return undefined;
}

/**
 * What is said beside a field need not begin with the name that programs have for it.
 * @param {string} message
 * @param {string} member
 */
function withoutName(message, member) {
  if (!message.startsWith(`${member} `)) return message;
  const said = message.slice(member.length + 1);
  return said.charAt(0).toUpperCase() + said.slice(1);
}
