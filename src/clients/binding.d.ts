/** Types of binding.js, as tsc declares them. */
/**
 * `darkroom/binding`: the platform's image binding over the entrance `Images`, whose answers are promises: a chain is sent
 * when `output` is called, and what it gives is at hand.
 */
export type EntranceChain = {
    transform: (options: object) => EntranceChain;
    draw: (image: ReadableStream | EntranceChain, options?: object) => EntranceChain;
    output: (options: object) => Promise<EntranceResult>;
};
export type EntranceResult = {
    image(): ReadableStream | Promise<ReadableStream>;
    contentType(): string | Promise<string>;
};
export type Entrance = {
    input: (stream: ReadableStream, options?: object) => EntranceChain;
    info: (stream: ReadableStream, options?: object) => Promise<object>;
};
export type Result = {
    image(): ReadableStream;
    response(): Response;
    contentType(): string;
};
export type Transformer = {
    transform: (options: object) => Transformer;
    draw: (image: ReadableStream | Transformer, options?: object) => Transformer;
    output: (options: {
        format: string;
        quality?: number;
        background?: string;
        anim?: boolean;
    }) => Promise<Result>;
};
/**
 * The platform's image binding, of a service binding to the entrance `Images`. Errors have its `code`.
 * @param {Entrance} entrance
 * @returns {{ input(stream: ReadableStream, options?: object): Transformer, info: Entrance["info"] }}
 */
export declare const imagesOver: (entrance: Entrance) => {
    input(stream: ReadableStream, options?: object): Transformer;
    info: Entrance["info"];
};
