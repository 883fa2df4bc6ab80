/** The zlib of the runtime. It brings streams along, a quarter of what would be done at the start: it is loaded when needed. */

export const zlib = () => process.getBuiltinModule("node:zlib");
