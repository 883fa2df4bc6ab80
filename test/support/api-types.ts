/** The schemas of the API document as TypeScript, for clients. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly description?: string;
}

const HEADER = `/** The types of the API, made from openapi.json by \`npm run openapi\`. */

/** A file as an upload takes it. */
export type FileBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;`;
const FILES_HEADER = `/** File name extensions of the formats, made from their table by \`npm run openapi\`. */`;

/**
 * A module that exports one type per named schema of the document, and `Operations`: of every operation that answers in
 * JSON what it takes and what it answers.
 */
export function apiTypes(document: Readonly<Record<string, unknown>>): string {
  const { schemas } = document["components"] as { schemas: Readonly<Record<string, Schema>> };
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, "")}export type ${name} = ${typeOf(schema, "")};`,
  );
  const operations = operationsOf(document).map(
    ({ id, summary, path, query, body, answer }) =>
      // What follows a colon or a semicolon is for the reference: the package is downloaded by every site.
      `${comment({ description: summary.replace(/[:;]\s.*$/s, ".") }, "  ")}  readonly ${id}: { ${[
        path.length > 0 ? `readonly path: { ${path.map((name) => `readonly ${name}: string`).join("; ")} }` : "",
        query.length > 0 ? `readonly query?: { ${query.join("; ")} }` : "",
        body,
        `readonly answer: ${answer}`,
      ]
        .filter((part) => part !== "")
        .join("; ")} };`,
  );
  const all = `/** Operations by their name in the API document. */\nexport interface Operations {\n${operations.join("\n")}\n}`;
  return `${[HEADER, ...types, all].join("\n\n")}\n`;
}

/** A module that says of each operation of `Operations` its method and path. */
export function apiOperations(document: Readonly<Record<string, unknown>>): string {
  const rows = operationsOf(document).map(({ id, method, address }) => `  ${id}: ["${method}", "${address}"],`);
  return [
    "/** Methods and paths of the operations, made from openapi.json by `npm run openapi`. */",
    "",
    '/** @type {Readonly<Record<string, readonly [method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string]>>} */',
    `export const OPERATIONS = {\n${rows.join("\n")}\n};\n`,
  ].join("\n");
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The operations that a program calls by name: those that answer in JSON, without tools of agents. */
function operationsOf(document: Readonly<Record<string, unknown>>) {
  const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  return Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).flatMap(
      ([method, { operationId: id, summary, parameters = [], requestBody, responses }]) => {
        const answers = Object.entries(responses).flatMap(([status, { content }]) => {
          const schema = status.startsWith("2") ? content?.["application/json"]?.schema : undefined;
          return schema?.$ref === undefined ? [] : [typeOf(schema, "")];
        });
        if (answers.length === 0 || id === "callTools") return [];
        const json = requestBody?.content["application/json"]?.schema;
        const form = requestBody?.content["multipart/form-data"]?.schema.properties;
        const optional = requestBody?.required === true ? "" : "?";
        const body = json
          ? `readonly body${optional}: ${typeOf(json, "")}`
          : form
            ? `readonly file: FileBody; readonly body?: ${typeOf(form["data"] ?? {}, "")}`
            : "";
        return {
          id,
          summary,
          method: method.toUpperCase(),
          address,
          path: parameters.filter((one) => one.in === "path").map(({ name }) => name),
          query: parameters
            .filter((one) => one.in === "query")
            .map(({ name, schema }) => `readonly ${name}?: ${typeOf(schema, "")}`),
          body,
          answer: [...new Set(answers)].join(" | "),
        };
      },
    ),
  );
}

/** A module with the file name extensions of the formats. */
export function extensions(
  formats: Readonly<Record<string, Pick<FormatDefinition, "extensions" | "otherExtensions">>>,
): string {
  const rows = Object.entries(formats);
  return [
    FILES_HEADER,
    "",
    "/** By format, the usual one first. */",
    "export const EXTENSIONS = {",
    ...rows.map(([name, { extensions: all }]) => `  ${name}: ${listOf(all)},`),
    "} as const;",
    "",
    "/** What originals may be called besides; results never are. */",
    "export const OTHER_EXTENSIONS = {",
    ...rows.flatMap(([name, { otherExtensions: others }]) => (others ? [`  ${name}: ${listOf(others)},`] : [])),
    "} as const;",
    "",
  ].join("\n");
}

function listOf(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "object") return objectOf(schema, indent);
  if (schema.type === "array") return `readonly (${schema.items ? typeOf(schema.items, indent) : "unknown"})[]`;
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean" || schema.type === "string" || schema.type === "null") return schema.type;
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return [...new Set(several.map((one) => typeOf(one, indent)))].join(" | ");
  return "unknown";
}

function objectOf({ properties, additionalProperties, required = [] }: Schema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = schema.not ? "never" : typeOf(schema, inner);
    return `${comment(schema, inner)}${inner}readonly ${key}${required.includes(name) ? "" : "?"}: ${type};`;
  });
  return members.length === 0 ? "Readonly<Record<string, never>>" : `{\n${members.join("\n")}\n${indent}}`;
}

/** The first sentence of a description: the whole of it is in the document. */
function comment({ description }: Schema, indent: string): string {
  if (description === undefined) return "";
  return `${indent}/** ${description.replace(/(?<=[^.]\.)\s.*$/s, "")} */\n`;
}
