/** What is deployed. */

/** That of package.json, which a test holds it to: nothing outside of the sources is bundled. */
export const PACKAGE_VERSION = "0.1.0";

/** The version of the package (semver), and the id of the deployment, `local` where it has none. */
export function deployed({ VERSION }: Pick<Env, "VERSION">): { readonly version: string; readonly build: string } {
  return { version: PACKAGE_VERSION, build: VERSION.id || "local" };
}
