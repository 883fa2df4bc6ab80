/** The types of the API alone: api-types.d.ts has them. */
export {};
