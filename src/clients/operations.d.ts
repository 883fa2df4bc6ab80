/** Types of operations.js, as tsc declares them. */
/** Methods and paths of the operations, made from openapi.json by `npm run openapi`. */
/** @type {Readonly<Record<string, readonly [method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string]>>} */
export declare const OPERATIONS: Readonly<Record<string, readonly [method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string]>>;
