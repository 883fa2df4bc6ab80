/** What a delivery made in the last days, and what that cost. */
import { figure } from "./cards.js";
import { bytesText, countText, h } from "./dom.js";

/** @import { DeliveryUsage } from "./shapes.d.ts" */

/** @param {readonly DeliveryUsage[]} days */
export function totalsOf(days) {
  const sum = (/** @type {"finals" | "drafts" | "stored_hits" | "delivered_bytes"} */ member) =>
    days.reduce((total, day) => total + day[member], 0);
  return {
    finals: sum("finals"),
    drafts: sum("drafts"),
    storedHits: sum("stored_hits"),
    bytes: sum("delivered_bytes"),
  };
}

/** @param {ReturnType<typeof totalsOf>} totals */
export function figuresOf({ finals, drafts, storedHits, bytes }) {
  return h(
    "dl",
    { class: "figures", "aria-label": "The last 30 days" },
    figure("Finals made", countText(finals), `${countText(finals)} ${finals === 1 ? "credit" : "credits"}`),
    figure("Drafts made", countText(drafts), "free"),
    figure("From the bucket", countText(storedHits), "free"),
    figure("Delivered", bytesText(bytes), "in 30 days"),
  );
}
