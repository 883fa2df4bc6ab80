/** What a call of the API throws: a class for each thing that a program does about a failure. */

/**
 * What a failure says of itself.
 * @typedef {object} FailureFacts
 * @property {number} status Of the answer; 0 where there was none.
 * @property {string} [error] The stable word of the failure, `resize.width.range`.
 * @property {string} [param] The path of the member that the failure is about, `resize.width`.
 * @property {string} [id] The id of the request.
 * @property {number} [retryAfter] Seconds to wait before the same request can succeed.
 * @property {unknown} [cause]
 */

/** A call that did not succeed; all other classes are kinds of it. */
export class DarkroomError extends Error {
  /**
   * @param {string} message
   * @param {FailureFacts} facts
   */
  constructor(message, { status, error, param, id, retryAfter, cause }) {
    super(message, { cause });
    this.name = new.target.name;
    this.status = status;
    /** The stable word of the failure; absent where the service gave none. */
    this.error = error;
    this.param = param;
    this.id = id;
    this.retryAfter = retryAfter;
  }
}

/** The request breaks a rule: sending it again comes to the same. */
export class RequestError extends DarkroomError {}
/** The image is damaged, too large, or in a format that is not read. */
export class ImageError extends RequestError {}
/** The store of the request refused the result, or its settings are wrong. */
export class StoreError extends RequestError {}
/** The key or the upload token is missing, unknown, or revoked. */
export class CredentialsError extends DarkroomError {}
/** The credits of the period are used up. */
export class CreditsError extends DarkroomError {}
/** The account, the address or the page may not do this. */
export class ForbiddenError extends DarkroomError {}
/** There is nothing at this address or under this id. */
export class NotFoundError extends DarkroomError {}
/** Too many requests: `retryAfter` says when the next one is taken. */
export class RateLimitError extends DarkroomError {}
/** Where the picture is fetched from did not answer, or refused. */
export class OriginError extends DarkroomError {}
/** No room right now: the same request succeeds later, after `retryAfter` seconds. */
export class CapacityError extends DarkroomError {}
/** The service failed. */
export class ServiceError extends DarkroomError {}
/** No answer came: the service cannot be reached. */
export class ConnectionError extends DarkroomError {}

/** Classes by status; all other refusals are RequestError, all other failures ServiceError. */
const BY_STATUS = /** @type {const} */ ({
  401: CredentialsError,
  402: CreditsError,
  403: ForbiddenError,
  404: NotFoundError,
  415: ImageError,
  429: RateLimitError,
  502: OriginError,
  503: CapacityError,
  504: OriginError,
});

/**
 * The error of an answer.
 * @param {string} message
 * @param {FailureFacts} facts
 * @returns {DarkroomError}
 */
export function errorOf(message, facts) {
  return new (classOf(facts))(message, facts);
}

/**
 * @param {FailureFacts} facts
 * @returns {typeof DarkroomError}
 */
function classOf({ status, error = "" }) {
  if (status === 0) return ConnectionError;
  if (status === 422 && /^image(?:\.|$)/.test(error)) return ImageError;
  if (status === 422 && /^store(?:\.|$)/.test(error)) return StoreError;
  // A body of another type than JSON is no matter of the image.
  if (error.startsWith("request.")) return RequestError;
  return BY_STATUS[/** @type {keyof typeof BY_STATUS} */ (status)] ?? (status < 500 ? RequestError : ServiceError);
}
