/** Types of words.js, as tsc declares them. */
/** Words of sharp, and what is said of those that are not offered. */
import type { Region } from "./steps.js";
/** By sharp's names, those of the service. */
export declare const FORMATS: Record<string, string>;
/** By the service's names, those of sharp. */
export declare const TOLD: Record<string, string>;
/** What sharp writes of originals in formats that it only reads. */
export declare const READ_ONLY: Record<string, string>;
export declare const OPTIONS: string[];
/** What sharp has besides. */
export declare const MISSING: string[];
/** @param {string} name */
export declare const notOffered: (name: string) => Error;
/**
 * @param {Region} region
 * @returns {Region}
 */
export declare function regionOf({ left, top, width, height }: Region): Region;
/** @param {string} name @param {unknown} value @returns {number | undefined} */
export declare function sideOf(name: string, value: unknown): number | undefined;
declare const settings: () => {
    memory: {
        current: number;
        high: number;
        max: number;
    };
    files: {
        current: number;
        max: number;
    };
    items: {
        current: number;
        max: number;
    };
};
/** What sharp's module has besides its function; caches and threads are the service's own affair. */
export declare const STATICS: {
    cache: typeof settings;
    concurrency: () => number;
    simd: () => boolean;
    counters: () => {
        queue: number;
        process: number;
    };
    fit: {
        [k: string]: string;
    };
    gravity: {
        [k: string]: string;
    };
    position: {
        [k: string]: string;
    };
    strategy: {
        [k: string]: string;
    };
    kernel: {
        [k: string]: string;
    };
    format: {
        [k: string]: {
            id: string;
            input: {
                file: boolean;
                buffer: boolean;
                stream: boolean;
            };
            output: {
                file: boolean;
                buffer: boolean;
                stream: boolean;
            };
        };
    };
};
export {};
