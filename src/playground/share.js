/** Settings in the address of the page: behind the #, where no server sees them, and without the key. */

const PREFIX = "#set=";

/** Where results and notifications go is nothing to pass on, and nothing to take from a link that somebody sent. */
const PRIVATE = ["store", "webhook"];

/**
 * The fragment that says these settings; empty when there are none.
 * @param {object | undefined} body
 */
export function fragmentOf(body) {
  const shared = withoutPrivate(body ?? {});
  return Object.keys(shared).length === 0 ? "" : PREFIX + encodeURIComponent(JSON.stringify(shared));
}

/**
 * The settings in a fragment; undefined when it has none.
 * @param {string} fragment
 * @returns {object | undefined}
 */
export function settingsIn(fragment) {
  if (!fragment.startsWith(PREFIX)) return undefined;
  try {
    const value = JSON.parse(decodeURIComponent(fragment.slice(PREFIX.length)));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? withoutPrivate(value) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {object} body */
function withoutPrivate(body) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !PRIVATE.includes(name)));
}
