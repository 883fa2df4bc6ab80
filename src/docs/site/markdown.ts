/**
 * Markdown of the documentation as HTML for the pages under /docs. Everything that is text is escaped, and markup inside a
 * document is refused, so that a page holds no element that is not made here.
 */
import { Marked, type Token, type Tokens } from "marked";

/** The names of the pages, by file: the index is the page at /docs itself. */
export const INDEX = "README.md";

export interface Section {
  /** The anchor of the heading; empty for what stands before the first one. */
  readonly id: string;
  readonly level: number;
  readonly heading: string;
  /** The words of the section without markup, for the search. */
  readonly text: string;
  /** What people call its subject who do not know our name for it: a comment `<!-- words: … -->` of the section. */
  readonly words: string;
}

export interface Rendered {
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly description: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/**
 * A document as HTML, with its sections.
 * @throws Error when it has no title, or holds markup other than comments
 */
export function render(document: string): Rendered {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(document);
  const [first] = tokens;
  if (first?.type !== "heading" || first["depth"] !== 1) throw new Error("A page begins with its title: # …");
  const paragraph = tokens.find(({ type }) => type === "paragraph");
  let tables = 0;
  marked.use({
    renderer: {
      html: ({ text }) => {
        if (/^\s*<!--(?:(?!-->)[^])*-->\s*$/.test(text)) return "";
        throw new Error("Markup is not rendered: use Markdown");
      },
      heading({ tokens: inside, depth }) {
        const html = this.parser.parseInline(inside);
        if (depth === 1) return `<h1>${html}</h1>\n`;
        const id = slug(plain(inside));
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens: inside }) {
        const html = this.parser.parseInline(inside);
        const address = addressOf(href);
        // Files of the repository are not served: their names are shown.
        return address === undefined
          ? `<code>${escape(plain(inside))}</code>`
          : `<a href="${escape(address)}">${html}</a>`;
      },
      image: ({ href, text }) =>
        `<img src="${escape(href.replace(PICTURES, "/pictures/"))}" alt="${escape(text)}" loading="lazy">`,
      // Programs can be copied; text is only read.
      code: ({ text, lang = "" }) =>
        `<div class="code${lang === "text" ? "" : " copyable"}"><pre tabindex="0" data-language="${escape(lang)}"><code>${escape(text)}</code></pre></div>\n`,
      table({ header, rows }) {
        tables += 1;
        const cell = (tag: string, { tokens: inside }: Tokens.TableCell) =>
          `<${tag}>${this.parser.parseInline(inside)}</${tag}>`;
        // A column without a name has no heading for screen readers to announce.
        const head = header.map((one) => cell(one.text === "" ? "td" : "th", one)).join("");
        const body = rows.map((row) => `<tr>${row.map((one) => cell("td", one)).join("")}</tr>\n`).join("");
        return (
          `<div class="table" role="region" aria-label="Table ${tables}" tabindex="0"><table>\n` +
          `<thead><tr>${head}</tr></thead>\n<tbody>\n${body}</tbody></table></div>\n`
        );
      },
    },
  });
  return {
    title: plain([first]),
    description: paragraph ? plain([paragraph]) : "",
    html: marked.parser(tokens),
    sections: sectionsOf(tokens),
  };
}

/** Where pictures of documents are kept: pages find them below the root of the site. */
const PICTURES = /^\.\.\/playground\/pictures\//;
/** The API document: what it says is read at the page of the reference. */
export const API_DOCUMENT = "../http/openapi.json";

/** Where a link of a document leads on the served pages; undefined for files that are not served. */
export function addressOf(href: string): string | undefined {
  if (/^https?:/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (path === "") return hash;
  if (path === API_DOCUMENT) return `/docs/reference${hash}`;
  return /^[\w-]+\.md$/.test(path) ? pagePath(path) + hash : undefined;
}

/** The path at which a document is served. */
export function pagePath(file: string): string {
  return file === INDEX ? "/docs" : `/docs/${file.replace(/\.md$/, "")}`;
}

/** The path at which a document is served as Markdown, for programs that read (llmstxt.org). */
export function twinPath(file: string): string {
  return `${pagePath(file)}.md`;
}

/** A document as it is served as Markdown: links lead to the other twins, and comments are left out. */
export function twin(text: string): string {
  const said = text.replaceAll(/^<!--.*?-->\n+/gms, "");
  return said.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words: string, href: string) => {
    const [path = "", anchor] = href.split("#");
    if (path === API_DOCUMENT) return `[${words}](/openapi.json)`;
    // Files of the repository are not served.
    if (path.startsWith("../")) return words;
    if (!/^[\w-]+\.md$/.test(path)) return link;
    return `[${words}](${twinPath(path)}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}

/** The index of the documentation by the convention of llms.txt: a title, a quoted sentence, and lists of links. */
export function overview(index: string): string {
  return twin(index)
    .replace(/^(# .+\n\n)(?=\S)/, "$1> ")
    .replace(/^# Documentation$/m, "# Darkroom");
}

/** The anchor of a heading, as code hosts make it, so that links work in both places. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** Text for HTML, in elements and in quoted attributes. */
export function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const WORDS = /^<!-- words: (.*?) -->/;

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { id: string; level: number; heading: string; text: string; words: string }[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plain([token]);
      const { depth: level } = token as Tokens.Heading;
      sections.push({ id: level === 1 ? "" : slug(heading), level, heading, text: "", words: "" });
    } else {
      const text = plain([token]);
      const last = sections.at(-1);
      if (last === undefined) continue;
      if (text !== "") last.text += (last.text === "" ? "" : " ") + text;
      if (token.type === "html") last.words += WORDS.exec(token.text)?.[1] ?? "";
    }
  }
  return sections;
}

/** The words of tokens without markup, with single spaces. */
function plain(tokens: readonly Token[]): string {
  return tokens.map(words).join("").replace(/\s+/g, " ").trim();
}

function words(token: Token): string {
  switch (token.type) {
    case "html":
      return "";
    // What a picture shows is looked for as well.
    case "image":
      return `${(token as Tokens.Image).text} `;
    case "space":
    case "br":
      return " ";
    case "list":
      return (token as Tokens.List).items.map((item) => `${plain(item.tokens)} `).join("");
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].flatMap((row) => row.map((cell) => `${plain(cell.tokens)} `)).join("");
    }
    default: {
      const inside = "tokens" in token ? token.tokens : undefined;
      return inside !== undefined && inside.length > 0 ? inside.map(words).join("") : unescaped(token);
    }
  }
}

/** What a token without parts says: its text, which marked leaves as it stands in the document. */
function unescaped(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : "";
}
