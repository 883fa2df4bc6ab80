/** The pages under `/docs`: what they can do beyond being read. */
import { byId, copyButton, fill, h } from "./dom.js";
import { createSearch, marked } from "./search.js";

/** @import { Entry } from "./search.js" */

/** As many results as fit beside the text. */
const MAX_RESULTS = 12;
/** Below this width the menu stands above the text, and is folded; the style sheet has the same figure. */
const NARROW = "(max-width: 800px)";

/** @type {Promise<readonly Entry[]> | undefined} */
let loading;

/** The index of the search, read once, when somebody is about to search. */
function entries() {
  loading ??= fetch("/docs/search.json").then((answer) => {
    if (!answer.ok) throw new Error(`search.json: HTTP ${answer.status}`);
    return answer.json();
  });
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** The field, what it found, and how many, for those who cannot see that. */
function searchBox() {
  const status = h("p", { class: "hint", role: "status" });
  const results = h("ol", { class: "found" });
  const field = h("input", {
    id: "query",
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Words, or a part of one",
    onfocus: () => void entries().catch(() => undefined),
    oninput: () => void show(field.value, results, status),
  });
  fill(byId("search"), h("search", {}, h("label", { for: "query" }, "Search"), field, status, results));
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

/**
 * @param {string} query
 * @param {HTMLElement} results
 * @param {HTMLElement} status
 */
async function show(query, results, status) {
  results.dataset["query"] = query;
  try {
    const found = createSearch(await entries())(query);
    // Whoever types fast has asked for something else meanwhile.
    if (results.dataset["query"] !== query) return;
    fill(results, found.slice(0, MAX_RESULTS).map(resultOf));
    status.textContent = query.trim() === "" ? "" : countOf(found.length);
  } catch {
    fill(results);
    status.textContent = "The search could not be loaded. Try again in a moment.";
  }
}

/** @param {number} count */
function countOf(count) {
  if (count === 0) return "Nothing found";
  const shown = count > MAX_RESULTS ? `, the best ${MAX_RESULTS} are shown` : "";
  return `${count} ${count === 1 ? "section" : "sections"}${shown}`;
}

/** @param {ReturnType<ReturnType<typeof createSearch>>[number]} result */
function resultOf({ entry, snippet, words }) {
  const highlighted = (/** @type {string} */ text) =>
    marked(text, words).map(({ text: part, hit }) => (hit ? h("mark", {}, part) : part));
  return h(
    "li",
    {},
    h(
      "a",
      { href: entry.path },
      h("strong", {}, highlighted(entry.heading || entry.page)),
      entry.heading !== "" && h("span", { class: "hint" }, entry.page),
    ),
    h("p", { class: "hint" }, highlighted(snippet)),
  );
}

/** Programs can be copied. */
function copyButtons() {
  for (const [position, block] of document.querySelectorAll(".prose .copyable").entries()) {
    block.append(copyButton(() => block.querySelector("pre")?.textContent ?? "", `example ${position + 1}`));
  }
}

/** The reference was at /docs once, and its anchors are in bookmarks. */
function followOldAnchor() {
  const id = location.hash.slice(1);
  if (location.pathname === "/docs" && id !== "" && document.getElementById(id) === null) {
    location.replace(`/docs/reference${location.hash}`);
  }
}

followOldAnchor();
byId("menu", HTMLDetailsElement).open = !matchMedia(NARROW).matches;
searchBox();
copyButtons();
