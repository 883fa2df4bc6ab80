/** Profile pictures: `<platform>:<user>`. */
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { parseJsonObject } from "../json.ts";
import { MAX_PROFILE_BYTES } from "../limits.ts";
import { readRemote, type Target, type Terms, unable } from "./remote.ts";

interface Platform {
  /** The user names that it knows, and the same in words. */
  readonly user: RegExp;
  readonly rule: string;
  /** Where a picture is; undefined when the operator has not set up what that takes. */
  readonly locate: (user: string, settings: Settings, terms: Terms) => Promise<string> | string | undefined;
}

const PLATFORMS: Readonly<Record<string, Platform>> = {
  facebook: {
    user: /^\d{1,32}$/,
    rule: "a numeric user id",
    // A token has been needed for user ids since October 2020.
    locate: (user, { facebookToken }) =>
      facebookToken &&
      `https://graph.facebook.com/${user}/picture?type=large&access_token=${encodeURIComponent(facebookToken)}`,
  },
  twitter: { user: /^\w{1,15}$/, rule: "a user name", locate: locateTwitter },
  // Has no address without a login; an operator may name a resolver.
  instagram: { user: /^[A-Za-z0-9._]{1,30}$/, rule: "a user name", locate: () => undefined },
  github: {
    user: /^[A-Za-z0-9-]{1,39}$/,
    rule: "a user name",
    locate: (user) => `https://github.com/${user}.png?size=460`,
  },
  gravatar: {
    user: /^[^\s@]{1,64}@[^\s@]{1,189}$/,
    rule: "an e-mail address",
    locate: async (user) => {
      const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(user.trim().toLowerCase()));
      return `https://gravatar.com/avatar/${new Uint8Array(hash).toHex()}?d=404&s=2048`;
    },
  },
};

const ALIASES: Readonly<Record<string, string>> = { x: "twitter" };

/**
 * Where the picture of `<platform>:<user>` is at this moment.
 * @throws ApiError 422 when the platform is not known or not set up, or the user is none it could have
 */
export async function profileTarget(profile: string, settings: Settings, terms: Terms): Promise<Target> {
  const colon = profile.indexOf(":");
  const prefix = profile.slice(0, Math.max(colon, 0)).toLowerCase();
  const user = profile.slice(colon + 1).trim();
  const name = Object.hasOwn(ALIASES, prefix) ? ALIASES[prefix] : prefix;
  const platform = name !== undefined && Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined;
  if (name === undefined || platform === undefined) {
    const known = Object.keys(PLATFORMS).join(", ");
    throw new ApiError(422, `url must be a valid http or https URL, or <platform>:<user> with one of ${known}`);
  }
  if (!platform.user.test(user)) throw new ApiError(422, `url must name ${platform.rule} behind ${name}:`);
  const address = fromTemplate(settings.profileUrls[name], user) ?? (await platform.locate(user, settings, terms));
  const url = address === undefined ? undefined : URL.parse(address);
  if (!url) throw new ApiError(422, `Profile pictures from ${name} are not available`);
  return { url, headers: new Headers() };
}

/** The operator's own address of a platform's pictures goes before ours. */
function fromTemplate(template: string | undefined, user: string): string | undefined {
  return template?.replaceAll("{user}", () => encodeURIComponent(user));
}

/** The platform tells where a picture is only to who has a token. */
function locateTwitter(user: string, { twitterToken }: Settings, terms: Terms): Promise<string> | undefined {
  return twitterToken ? askTwitter(user, twitterToken, terms) : undefined;
}

async function askTwitter(user: string, token: string, terms: Terms): Promise<string> {
  const url = new URL(`https://api.x.com/2/users/by/username/${user}?user.fields=profile_image_url`);
  const headers = new Headers({ authorization: `Bearer ${token}`, accept: "application/json" });
  const { bytes, memory } = await readRemote({ url, headers }, { ...terms, maxBytes: MAX_PROFILE_BYTES });
  memory.release();
  const picture = pictureIn(bytes);
  if (picture === undefined) throw unable("the platform does not know this user");
  // The address names the smallest size; the same picture is kept in larger ones.
  return picture.replace(/_normal(\.[a-z]+)$/i, "_400x400$1");
}

function pictureIn(bytes: Uint8Array): string | undefined {
  let answer: object;
  try {
    answer = parseJsonObject(bytes, "The platform's answer");
  } catch (cause) {
    throw unable("the platform's answer is not understood", cause);
  }
  const data = "data" in answer ? answer.data : undefined;
  if (typeof data !== "object" || data === null || !("profile_image_url" in data)) return undefined;
  return typeof data.profile_image_url === "string" ? data.profile_image_url : undefined;
}
