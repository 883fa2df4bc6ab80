/** What a test file leaves changed in the runtime that the next file runs in. */
import { vi } from "vitest";

/** What all modules of a runtime share; the environment is added. */
const SHARED = {
  globalThis,
  "Object.prototype": Object.prototype,
  "Array.prototype": Array.prototype,
  "Promise.prototype": Promise.prototype,
  "Request.prototype": Request.prototype,
  "Response.prototype": Response.prototype,
  "TextEncoder.prototype": TextEncoder.prototype,
  "crypto.subtle": crypto.subtle,
  crypto,
  Date,
  JSON,
  Math,
  performance,
  WebAssembly,
} as const;

/** Names under which packages keep registries: each module graph makes its own. */
const REGISTRY = /^globalThis\.__/;

interface Place {
  readonly owner: object;
  readonly key: PropertyKey;
  readonly property: PropertyDescriptor;
}

/**
 * Notes what is there now, and answers with a function that puts it back.
 * @returns the names of what had to be put back
 */
export function noteShared(env: object): () => string[] {
  const before = placesOf(env);
  return () => {
    // They stand in place of globals, which are as they were once the timers are real again.
    const names = vi.isFakeTimers() ? ["fake timers"] : [];
    vi.useRealTimers();
    const after = placesOf(env);
    for (const [name, { owner, key }] of after) {
      if (before.has(name)) continue;
      Reflect.deleteProperty(owner, key);
      if (!REGISTRY.test(name)) names.push(name);
    }
    for (const [name, { owner, key, property }] of before) {
      if (isSame(property, after.get(name)?.property)) continue;
      Reflect.defineProperty(owner, key, property);
      names.push(name);
    }
    return names;
  };
}

function placesOf(env: object): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [ownerName, owner] of Object.entries({ ...SHARED, env })) {
    for (const key of Reflect.ownKeys(owner)) {
      const property = Object.getOwnPropertyDescriptor(owner, key);
      if (property !== undefined) places.set(`${ownerName}.${String(key)}`, { owner, key, property });
    }
  }
  return places;
}

function isSame(one: PropertyDescriptor, other: PropertyDescriptor | undefined): boolean {
  return other !== undefined && Object.is(one.value, other.value) && one.get === other.get && one.set === other.set;
}
