/** What all stores have in common that speak S3 and whose keys sign: everything but how objects are written. */
import type { ListAsk } from "./provider.ts";
import { keptByS3, toldByS3 } from "./s3-kept.ts";
import { getting, listSigned, removed, type Signature, signedGet } from "./s3.ts";
import type { Session } from "./session.ts";

/** @param addressOf the URL of an object, or of the bucket where the key is empty */
export function signedBucket<Store extends Signature>(
  addressOf: (store: Store, key: string, session: Session) => string,
) {
  return {
    read: async (store: Store, key: string, session: Session) =>
      signedGet(addressOf(store, key, session), store, session.now()),
    list: async (store: Store, ask: ListAsk, session: Session) =>
      listSigned(session, addressOf(store, "", session), ask, store),
    cursorAfter: (key: string) => key,
    told: toldByS3,
    kept: async (store: Store, key: string, answered: Headers, session: Session) => {
      const url = addressOf(store, key, session);
      return keptByS3(session, answered, async (query) =>
        getting(await signedGet(`${url}?${query}`, store, session.now())),
      );
    },
    remove: async (store: Store, key: string, session: Session) => {
      const url = addressOf(store, key, session);
      await removed(session, async () => {
        const { headers } = await signedGet(url, store, session.now(), "DELETE");
        return { url, method: "DELETE", headers };
      });
    },
  };
}
