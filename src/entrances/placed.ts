/** Durable Objects where the deployment wants them: near its bucket and its databases, or within a jurisdiction. */
import { settingsOf } from "../env.ts";

/** By the bindings of the platform, which an isolate is given once. */
const placedOf = new WeakMap<Env, Env>();

/** The bindings, of which those of objects ask for the place that REGION or JURISDICTION names. */
export function placed(env: Env): Env {
  const known = placedOf.get(env);
  if (known) return known;
  const { region, jurisdiction } = settingsOf(env);
  const isAnywhere = region === undefined && jurisdiction === undefined;
  const made = isAnywhere
    ? env
    : { ...env, METER: of(env.METER), COURIER: of(env.COURIER), MAKER: of(env.MAKER), BATCH: of(env.BATCH) };
  placedOf.set(env, made);
  return made;

  function of<Namespace extends DurableObjectNamespace>(namespace: Namespace): Namespace {
    const within = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
    // An object that is within a jurisdiction is near its first caller there.
    const options = jurisdiction === undefined && region !== undefined ? { locationHint: region } : {};
    const getByName: DurableObjectNamespace["getByName"] = (name, given) =>
      within.getByName(name, { ...options, ...given });
    return new Proxy(namespace, {
      get: (_, member) => {
        if (member === "getByName") return getByName;
        const value: unknown = Reflect.get(within, member);
        return typeof value === "function" ? value.bind(within) : value;
      },
    });
  }
}
