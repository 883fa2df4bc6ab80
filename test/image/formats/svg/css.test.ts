/** Style sheets are read as browsers read them, and in time that grows with their length only. */
import { describe, expect, it } from "vitest";

import { Tokens } from "../../../../src/image/formats/svg/css-tokens.ts";
import { cleanDeclarations, cleanValue, writtenDeclarations } from "../../../../src/image/formats/svg/css-values.ts";
import { cleanStyleSheet } from "../../../../src/image/formats/svg/css.ts";
import { daily } from "../../../support/exhaustive.ts";

function tokensOf(css: string): string[] {
  const tokens = new Tokens(css);
  const found: string[] = [];
  for (let token = tokens.next(); token.type !== "end"; token = tokens.next())
    found.push(`${token.type} ${token.value}`);
  return found;
}

/** As long as a file may be; a sixteenth shows time squared as well. */
const LENGTH = daily(1 << 18, 4 << 20);
const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length));

/** Each of them took or could take time squared: minutes, for so many letters. */
const LONG = [
  filled("@import"),
  `${filled("@import")}{`,
  filled("@font-face{"),
  filled("/*"),
  filled("/*/"),
  filled("url("),
  filled("url( "),
  filled("url(a "),
  filled("'"),
  filled("'\\\n"),
  filled("\\"),
  filled("\\69 "),
  filled("(["),
  filled("{"),
  filled("a{b:c;"),
  filled("a{fill:red}"),
  filled("@media a{"),
  filled("a{"),
  filled("a{b "),
  filled("a{b;c "),
  `a{${filled("& &{")}`,
  `a{${filled("&b{fill:red}")}`,
  `a{${filled("@x{}fill:red;")}`,
  filled("a,"),
  filled("a b>"),
  filled("1e"),
  filled("+.1"),
  filled("-"),
  filled("<!-"),
  filled("a/**/b"),
  filled(":is("),
  filled("fill:"),
  filled("!"),
  filled("#"),
  filled(" "),
];

describe("CSS", () => {
  it.each([
    [
      "a u\\72l(b) '\\'' #1a 1px -->",
      [
        "ident a",
        "space  ",
        "url b",
        "space  ",
        "string '",
        "space  ",
        "hash 1a",
        "space  ",
        "number 1px",
        "space  ",
        "comment ",
      ],
    ],
    ["url( 'a' ) url(a b) url('a\n') url(a", ["url a", "space  ", "bad ", "space  ", "bad ", "space  ", "url a"]],
    ["'a\nb' /* c", ["bad ", "space  ", "ident b", "string  /* c"]],
    [
      "@\\69mport --a -1.5e3% +.5em",
      ["at import", "space  ", "ident --a", "space  ", "number -1.5e3%", "space  ", "number +.5em"],
    ],
    ["\\110000 a\\", ["ident \ufffda", "delimiter \\"]],
  ])("becomes tokens: %s", (css, expected) => {
    expect(tokensOf(css)).toEqual(expected);
  });

  it.each([
    ["rect{fill:red}", "rect{fill:red}"],
    ["@import 'a'; rect { fill : RED ; }", "rect{fill:RED}"],
    ["@font-face{src:url(a)}a>b , c:hover{stroke:#fff!important}", "a>b , c:hover{stroke:#fff!important}"],
    ["@media (max-width:9px){.a{fill:red}@import 'a';}", "@media (max-width:9px){.a{fill:red}}"],
    ["@media x{b}c{fill:red}", "@media x{}c{fill:red}"],
    ["@keyframes a{from{opacity:0}50%{opacity:1}}", "@keyframes a{from{opacity:0}50%{opacity:1}}"],
    [".\\31 a\\:b{fill:red}", ".\\31 a\\:b{fill:red}"],
    ["a{fill:red;&:b{fill:blue}stroke:red}", "a{fill:red}a:b{fill:blue}a{stroke:red}"],
    ["a,b{c{fill:red}>d&{fill:red}}", ":is(a,b) c{fill:red}>d:is(a,b){fill:red}"],
    ["a{[b='&'],c & d{--e:{};fill:red}}", "a [b='\\26 '],c :is(a) d{fill:red}"],
    ["a{@media x{fill:red;b{fill:red}}fill:blue}", "@media x{a{fill:red}a b{fill:red}}a{fill:blue}"],
    ["a{b{c{d{fill:red}}}fill:url(x;{);stroke:red}", "a b c d{fill:red}a{fill:none;stroke:red}"],
    ["a{b:c{fill:red}}", "a b:c{fill:red}"],
    ["a{fill:url(#b);fill:url('#b c')}", "a{fill:url(#b);fill:url('#b c')}"],
    ["a{font-family:'</style>'}", "a{font-family:'\\3c /style\\3e '}"],
    ["<b{fill:red}c{fill:red}", "c{fill:red}"],
    ["a{background:image-set('b' 1x);fill:red}", "a{fill:red}"],
    ["a{fill:rgb(1,2,3", "a{fill:rgb(1,2,3)}"],
    ["a/**/b{fill:red}.c/**/.d{fill:red}", ".c.d{fill:red}"],
  ])("keeps of %s what draws", (css, expected) => {
    expect(cleanStyleSheet(css).text).toBe(expected);
    expect(cleanStyleSheet(expected).text).toBe(expected);
  });

  it("does not put together what a comment or an address held apart", () => {
    expect(cleanValue("u/**/rl(a)")).toBeNull();
    expect(cleanValue("url/**/(a)")?.text).toBe("url (a)");
    expect(cleanValue("rgbaurl(x)(1,2,3)")).toBeNull();
    expect(cleanValue("a url(x)b")?.text).toBe("a b");
  });

  it.each([
    [`${"a,".repeat(9_999)}a{${"& & & &{".repeat(6)}fill:red`, "rules that repeat those around"],
    [`${"a,".repeat(9_999)}a{${"b{fill:red}".repeat(9_999)}`, "rules with a long selector around"],
    [`${"a,".repeat(9_999)}a{${"fill:red;@x{}".repeat(9_999)}`, "a rule in many pieces"],
  ])("refuses %#: selectors that would become many times the file", (css) => {
    expect(() => cleanStyleSheet(css)).toThrow(/too much text/);
  });

  it("reads no rule behind as many as it may have", () => {
    const rules = (count: number) => "a{fill:red}".repeat(count);
    expect(cleanStyleSheet(rules(10_000)).rules).toHaveLength(10_000);
    expect(() => cleanStyleSheet(rules(10_001))).toThrow(/too much text/);
    expect(() => cleanStyleSheet(rules(2), 1)).toThrow(/too much text/);
  });

  it.each(LONG)("takes any amount of anything in one pass, or refuses it: case %#", (css) => {
    const readers = [
      () => cleanStyleSheet(css).text,
      () => writtenDeclarations(cleanDeclarations(css)),
      () => cleanValue(css)?.text ?? "",
    ];
    for (const read of readers) {
      try {
        expect(read().length).toBeLessThan(2 * css.length);
      } catch (error) {
        expect(error).toMatchObject({ status: 422, message: expect.stringMatching(/too much text/) });
      }
    }
  });
});
