/** The API document, which is a tenth of the service's code and is made when somebody asks for it. */
import type document from "./openapi.json";

export type ApiDocument = typeof document;

export async function apiDocument(): Promise<ApiDocument> {
  return (await import("./openapi.json")).default;
}
