/** Pictures of an account that look alike. */
import { findAlike } from "../../account/alike.ts";
import { checked } from "../../contract/message.ts";
import { type SimilarList, SimilarQuery } from "../../contract/similar.ts";
import { DEFAULT_PAGE_ENTRIES } from "../../limits/accounts.ts";
import { DEFAULT_ALIKE_BITS } from "../../limits/reuse.ts";
import { accountOf, type AppContext, recordsOf } from "../context.ts";

/** GET /1.0/similar */
export async function listSimilar(c: AppContext): Promise<Response> {
  const query = checked(SimilarQuery, c.req.query());
  const { phash, distance = String(DEFAULT_ALIKE_BITS), limit = String(DEFAULT_PAGE_ENTRIES) } = query;
  const asked = { phash, distance: Number(distance), limit: Number(limit) };
  const { looks, isComplete } = await findAlike(recordsOf(c), accountOf(c).id, asked, Date.now());
  const similar = looks.map(({ id, name, phash: hash, distance: bits, keptAt }) => {
    return { id, name, phash: hash, distance: bits, kept_at: new Date(keptAt).toISOString() };
  });
  return c.json<SimilarList>({ success: true, code: 200, similar, complete: isComplete });
}
