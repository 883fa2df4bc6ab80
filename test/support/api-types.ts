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

const HEADER = `/** The types of the API, made from openapi.json by \`npm run openapi\`. */`;

/** A module that exports one type per named schema of the document, and the file name extensions of the formats. */
export function apiTypes(
  document: Readonly<Record<string, unknown>>,
  formats: Readonly<Record<string, Pick<FormatDefinition, "extensions" | "otherExtensions">>>,
): string {
  const { schemas } = document["components"] as { schemas: Readonly<Record<string, Schema>> };
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, "")}export type ${name} = ${typeOf(schema, "")};`,
  );
  const rows = Object.entries(formats);
  const files = [
    "/** File name extensions by format, the usual one first. */",
    "export const EXTENSIONS = {",
    ...rows.map(([name, { extensions }]) => `  ${name}: ${JSON.stringify(extensions)},`),
    "} as const;",
    "",
    "/** What originals may be called besides; results never are. */",
    "export const OTHER_EXTENSIONS = {",
    ...rows.flatMap(([name, { otherExtensions: others }]) => (others ? [`  ${name}: ${JSON.stringify(others)},`] : [])),
    "} as const;",
  ];
  return `${[HEADER, ...types, files.join("\n")].join("\n\n")}\n`;
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

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? "" : `${indent}/** ${description} */\n`;
}
