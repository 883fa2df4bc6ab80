/** Types of sign.js, as tsc declares them. */
export type SigningPair = {
    key: string;
    salt: string;
};
/**
 * The same address, signed.
 * @param {SigningPair} pair
 * @param {string | URL} address An absolute address below `/i/<delivery>/` or `/imgproxy/<delivery>/unsafe/`.
 * @returns {Promise<string>}
 * @throws {TypeError} when it is none, or key or salt are not in hex
 */
export declare function signURL(pair: SigningPair, address: string | URL): Promise<string>;
/**
 * HMAC-SHA256 of the salt and the text, in base64url without padding.
 * @param {SigningPair} pair
 * @param {string} text
 * @returns {Promise<string>}
 */
export declare function signatureOf({ key, salt }: SigningPair, text: string): Promise<string>;
