/**
 * The request as programs. A real key is not written out: programs are pasted into chats and repositories. The key of a
 * local run is no secret.
 */
import { astro, html, next, nuxt } from "./page-snippets.js";
import { DEMO_KEY } from "./session.js";

/** @import { ShownRequest } from "./shapes.d.ts" */

/**
 * `[[language, program]]` for a request.
 * @param {ShownRequest} request
 * @returns {[string, string][]}
 */
export function programs(request) {
  return [
    ["curl", curl(request)],
    ["JavaScript", javascript(request)],
    ["Python", python(request)],
    ["PHP", php(request)],
    ["Next", next(request)],
    ["Astro", astro(request)],
    ["Nuxt", nuxt(request)],
    ["HTML", html(request)],
  ];
}

/**
 * A line for the shell. `--form-string`, because `-F` gives meaning to semicolons and at signs in a value.
 * @param {ShownRequest} request
 */
function curl({ origin, key, source, body }) {
  const user = key === DEMO_KEY ? shell(`${key}:`) : '"$DARKROOM_KEY:"';
  if (source.url !== undefined) {
    const json = shell(JSON.stringify({ url: source.url, ...body }));
    return `curl -u ${user} ${origin}/1.0/fetch \\\n  -H 'Content-Type: application/json' \\\n  -d ${json}`;
  }
  const data = body ? ` \\\n  --form-string data=${shell(JSON.stringify(body))}` : "";
  return `curl -u ${user} ${origin}/1.0/upload \\\n  -F file=@${shell(formFile(source.file))}${data}`;
}

/**
 * curl itself reads quotes around a name that holds its own punctuation.
 * @param {string} name
 */
function formFile(name) {
  return /[;,"\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, "\\$&")}"` : name;
}

/**
 * One word of a POSIX shell.
 * @param {string} text
 */
export function shell(text) {
  return /^[\w.:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param {ShownRequest} request */
function javascript({ origin, key, source, body }) {
  const token = key === DEMO_KEY ? `Bearer ${key}` : "Bearer ${process.env.DARKROOM_KEY}";
  const quoted = key === DEMO_KEY ? JSON.stringify(token) : `\`${token}\``;
  const lines =
    source.url === undefined
      ? [
          'import { openAsBlob } from "node:fs";',
          "",
          "const body = new FormData();",
          `body.set("file", await openAsBlob(${JSON.stringify(source.file)}), ${JSON.stringify(source.file)});`,
          ...(body ? [`body.set("data", JSON.stringify(${JSON.stringify(body, null, 2)}));`] : []),
          `const answer = await fetch("${origin}/1.0/upload", {`,
          '  method: "POST",',
          `  headers: { Authorization: ${quoted} },`,
          "  body,",
          "});",
        ]
      : [
          `const answer = await fetch("${origin}/1.0/fetch", {`,
          '  method: "POST",',
          `  headers: { Authorization: ${quoted}, "Content-Type": "application/json" },`,
          `  body: JSON.stringify(${JSON.stringify({ url: source.url, ...body }, null, 2)}),`,
          "});",
        ];
  return [
    ...lines,
    `const { success, message, ${isSet(body) ? "html" : "output"} } = await answer.json();`,
    "if (!success) throw new Error(message);",
    isSet(body) ? "console.log(html);" : "console.log(output.url);",
  ].join("\n");
}

/** @param {ShownRequest} request */
function python({ origin, key, source, body }) {
  const user = key === DEMO_KEY ? literal(key) : 'os.environ["DARKROOM_KEY"]';
  const imports = [
    ...(source.url === undefined && body ? ["import json"] : []),
    ...(key === DEMO_KEY ? [] : ["import os"]),
  ];
  const lines =
    source.url === undefined
      ? [
          `with open(${literal(source.file)}, "rb") as file:`,
          "    answer = requests.post(",
          `        "${origin}/1.0/upload",`,
          `        auth=(${user}, ""),`,
          '        files={"file": file},',
          ...(body ? [`        data={"data": json.dumps(${literal(body)})},`] : []),
          "    ).json()",
        ]
      : [
          "answer = requests.post(",
          `    "${origin}/1.0/fetch",`,
          `    auth=(${user}, ""),`,
          `    json=${literal({ url: source.url, ...body })},`,
          ").json()",
        ];
  return [
    ...imports,
    ...(imports.length > 0 ? [""] : []),
    "import requests  # pip install requests",
    "",
    ...lines,
    'if not answer["success"]:',
    '    raise SystemExit(answer["message"])',
    isSet(body) ? 'print(answer["html"])' : 'print(answer["output"]["url"])',
  ].join("\n");
}

/** @param {ShownRequest} request */
function php({ origin, key, source, body }) {
  const user = key === DEMO_KEY ? phpLiteral(`${key}:`) : "getenv('DARKROOM_KEY') . ':'";
  const isFile = source.url === undefined;
  const options = isFile
    ? [
        "    CURLOPT_POSTFIELDS => [",
        `        'file' => new CURLFile(${phpLiteral(source.file)}),`,
        ...(body ? [`        'data' => json_encode(${phpLiteral(body)}),`] : []),
        "    ],",
      ]
    : [
        "    CURLOPT_HTTPHEADER => ['Content-Type: application/json'],",
        `    CURLOPT_POSTFIELDS => json_encode(${phpLiteral({ url: source.url, ...body })}),`,
      ];
  return [
    "<?php",
    `$request = curl_init(${phpLiteral(`${origin}/1.0/${isFile ? "upload" : "fetch"}`)});`,
    "curl_setopt_array($request, [",
    `    CURLOPT_USERPWD => ${user},`,
    "    CURLOPT_RETURNTRANSFER => true,",
    ...options,
    "]);",
    "$answer = json_decode(curl_exec($request), true);",
    "if (!$answer['success']) {",
    "    throw new RuntimeException($answer['message']);",
    "}",
    `echo ${isSet(body) ? "$answer['html']" : "$answer['output']['url']"}, PHP_EOL;`,
  ].join("\n");
}

/**
 * Whether the answer has several results, and the HTML that shows them.
 * @param {object | undefined} body
 */
function isSet(body) {
  return body !== undefined && "srcset" in body;
}

/**
 * JSON as PHP writes it.
 * @param {unknown} value
 * @returns {string}
 */
function phpLiteral(value) {
  if (typeof value === "string") return `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  if (Array.isArray(value)) return `[${value.map(phpLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${phpLiteral(name)} => ${phpLiteral(member)}`);
  return members.length === 0 ? "new stdClass()" : `[${members.join(", ")}]`;
}

/**
 * JSON as Python writes it.
 * @param {unknown} value
 * @returns {string}
 */
function literal(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(/** @type {object} */ (value))
    .map(([name, member]) => `${JSON.stringify(name)}: ${literal(member)}`)
    .join(", ")}}`;
}
