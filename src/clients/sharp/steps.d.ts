/** Types of steps.js, as tsc declares them. */
/** Calls of sharp as members of requests, in the order in which sharp works them off. */
export type Size = {
    width: number;
    height: number;
};
export type Members = Record<string, unknown>;
export type Region = {
    left: number;
    top: number;
    width: number;
    height: number;
};
export type ResizeOptions = {
    width?: number | null | undefined;
    height?: number | null | undefined;
    fit?: string;
    position?: string | number;
    background?: unknown;
    kernel?: string;
    withoutEnlargement?: boolean;
    withoutReduction?: boolean;
    fastShrinkOnLoad?: boolean;
};
export type Calls = {
    upright: boolean;
    /**
     * Degrees, from 0 to 359.
     */
    angle: number;
    /**
     * What turning by other angles than right ones uncovers.
     */
    behind?: unknown;
    /**
     * Whether the turn is before whatever else changes the size.
     */
    turnsFirst: boolean;
    flip: boolean;
    flop: boolean;
    trim?: Members;
    /**
     * Cut out before the size changes.
     */
    before?: Region;
    resize?: ResizeOptions;
    /**
     * Cut out after that.
     */
    after?: Region;
    extend?: {
        top: number;
        right: number;
        bottom: number;
        left: number;
        background?: unknown;
    };
    /**
     * The color, as a request takes it.
     */
    flatten?: string;
};
export type Step = {
    members: Members;
    size: Size | undefined;
};
/**
 * A color as a request takes it. @param {unknown} color An object, a hex color, or one of three names.
 * @param {string} member @returns {string}
 */
export declare function hexOf(color: unknown, member: string): string;
/** @param {string | number | undefined} position */
export declare function gravityOf(position?: string | number | undefined): string;
/**
 * The steps of a chain. Each is told the size that it finds, as far as that is known.
 * @param {Calls} calls
 * @returns {{ needsSize: boolean, at: (size: Size | undefined) => Step }[]}
 */
export declare function stepsOf(calls: Calls): {
    needsSize: boolean;
    at: (size: Size | undefined) => Step;
}[];
/** @param {number} orientation */
export declare function uprightStep(orientation: number): {
    needsSize: boolean;
    at: (/** @type {Size | undefined} */ size: Size | undefined) => Step;
};
/** @param {string | undefined} fit */
export declare function checkFit(fit: string | undefined): void;
/**
 * Whether a step may join the steps of a request: only what comes later there.
 * @param {Members} members @param {Members} more
 */
export declare function joins(members: Members, more: Members): boolean;
