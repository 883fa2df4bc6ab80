/** Types of webhooks.js, as tsc declares them. */
/** Notifications: their types, and the check of their signature after Standard Webhooks 1.0.0. */
import type { BatchEnded, BudgetAlert, Failure, SetSuccess, Success } from "./api-types.js";
export type Notification = Success | SetSuccess | Failure | BatchEnded | BudgetAlert;
export type Received = {
    headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
    /**
     * The bytes as they came, before anything has parsed them.
     */
    body: string | Uint8Array;
};
/** A notification that is not to be believed: its signature is wrong, missing, or of another time. */
export declare class SignatureError extends Error {
    /** @param {string} message */
    constructor(message: string);
}
/**
 * The content of a notification whose signature is right. One that is sent again within the tolerance is right as well: who
 * must act once remembers `webhook-id`.
 * @param {Received} received
 * @param {string | readonly string[]} secret `whsec_…`; several while one is replaced by another.
 * @param {{ tolerance?: number, now?: number }} [options] Seconds that its time may differ by, and milliseconds since 1970.
 * @returns {Promise<Notification>}
 * @throws {SignatureError} when it is not to be believed
 */
export declare function readNotification({ headers, body }: Received, secret: string | readonly string[], { tolerance, now }?: {
    tolerance?: number;
    now?: number;
}): Promise<Notification>;
