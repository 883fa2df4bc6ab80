/** Types of errors.js, as tsc declares them. */
/** What a call of the API throws: a class for each thing that a program does about a failure. */
export type FailureFacts = {
    /**
     * Of the answer; 0 where there was none.
     */
    status: number;
    /**
     * The stable word of the failure, `resize.width.range`.
     */
    error?: string;
    /**
     * The path of the member that the failure is about, `resize.width`.
     */
    param?: string;
    /**
     * The id of the request.
     */
    id?: string;
    /**
     * Seconds to wait before the same request can succeed.
     */
    retryAfter?: number;
    cause?: unknown;
};
/** A call that did not succeed; all other classes are kinds of it. */
export declare class DarkroomError extends Error {
    status: number;
    /** The stable word of the failure; absent where the service gave none. */
    error: string | undefined;
    param: string | undefined;
    id: string | undefined;
    retryAfter: number | undefined;
    /**
     * @param {string} message
     * @param {FailureFacts} facts
     */
    constructor(message: string, { status, error, param, id, retryAfter, cause }: FailureFacts);
}
/** The request breaks a rule: sending it again comes to the same. */
export declare class RequestError extends DarkroomError {
}
/** The image is damaged, too large, or in a format that is not read. */
export declare class ImageError extends RequestError {
}
/** The store of the request refused the result, or its settings are wrong. */
export declare class StoreError extends RequestError {
}
/** The key or the upload token is missing, unknown, or revoked. */
export declare class CredentialsError extends DarkroomError {
}
/** The credits of the period are used up. */
export declare class CreditsError extends DarkroomError {
}
/** The account, the address or the page may not do this. */
export declare class ForbiddenError extends DarkroomError {
}
/** There is nothing at this address or under this id. */
export declare class NotFoundError extends DarkroomError {
}
/** Too many requests: `retryAfter` says when the next one is taken. */
export declare class RateLimitError extends DarkroomError {
}
/** Where the picture is fetched from did not answer, or refused. */
export declare class OriginError extends DarkroomError {
}
/** No room right now: the same request succeeds later, after `retryAfter` seconds. */
export declare class CapacityError extends DarkroomError {
}
/** The service failed. */
export declare class ServiceError extends DarkroomError {
}
/** No answer came: the service cannot be reached. */
export declare class ConnectionError extends DarkroomError {
}
/**
 * The error of an answer.
 * @param {string} message
 * @param {FailureFacts} facts
 * @returns {DarkroomError}
 */
export declare function errorOf(message: string, facts: FailureFacts): DarkroomError;
