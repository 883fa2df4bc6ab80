/** The schemas of the API document as TypeScript, for clients. */

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

/** A module that exports one type per named schema of the document, and the file name extensions of every format. */
export function apiTypes(
  document: Readonly<Record<string, unknown>>,
  formats: Readonly<Record<string, { readonly extensions: readonly string[] }>>,
): string {
  const { schemas } = document["components"] as { schemas: Readonly<Record<string, Schema>> };
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, "")}export type ${name} = ${typeOf(schema, "")};`,
  );
  const extensions = Object.entries(formats).map(([name, row]) => `  ${name}: ${JSON.stringify(row.extensions)},`);
  const files = [
    "/** File name extensions by format, the usual one first. */",
    "export const EXTENSIONS = {",
    ...extensions,
  ];
  return `${[HEADER, ...types, [...files, "} as const;"].join("\n")].join("\n\n")}\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "object") return objectOf(schema, indent);
  if (schema.type === "array") return `readonly (${schema.items ? typeOf(schema.items, indent) : "unknown"})[]`;
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean" || schema.type === "string") return schema.type;
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
