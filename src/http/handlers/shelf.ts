/** What the paths of saved assets have in common. */
import { type Asset, type AssetKind, deleteAsset, findAsset, listAssets, type Shelf } from "../../account/assets.ts";
import { vaultOf } from "../../account/vault.ts";
import { PageQuery } from "../../contract/admin.ts";
import { checked } from "../../contract/message.ts";
import { ApiError } from "../../errors.ts";
import { DEFAULT_PAGE_ENTRIES } from "../../limits/accounts.ts";
import { accountOf, type AppContext, recordsOf } from "../context.ts";

/** The assets of the account that is calling. */
export function shelfOf(c: AppContext): Shelf {
  return { db: recordsOf(c), vault: vaultOf(c.var.settings.vaultKeys), accountId: accountOf(c).id };
}

/** @throws ApiError 422 for anything but a page */
export function pageOf(c: AppContext): { offset: number; limit: number } {
  const { offset = "0", limit = String(DEFAULT_PAGE_ENTRIES) } = checked(PageQuery, c.req.query());
  return { offset: Number(offset), limit: Number(limit) };
}

function assetIdOf(c: AppContext): string {
  return c.req.param("asset") ?? "";
}

/** Another account's asset is no different from one that does not exist. */
export function assetNotFound(): ApiError {
  return new ApiError(404, "Resource not found");
}

/**
 * The page of assets of a kind that is asked for.
 * @throws ApiError 422 for anything but a page
 */
export function assetsAsked<Details extends object>(c: AppContext, kind: AssetKind): Promise<Asset<Details>[]> {
  return listAssets<Details>(shelfOf(c), kind, pageOf(c));
}

/** The asset that the path names. @throws ApiError 404 */
export async function assetAsked<Details extends object>(c: AppContext, kind: AssetKind): Promise<Asset<Details>> {
  const asset = await findAsset<Details>(shelfOf(c), kind, assetIdOf(c));
  if (!asset) throw assetNotFound();
  return asset;
}

/** Deletes the asset that the path names. @returns its id @throws ApiError 404 */
export async function deleteAsked(c: AppContext, kind: AssetKind): Promise<string> {
  const id = assetIdOf(c);
  if (!(await deleteAsset(shelfOf(c), kind, id))) throw assetNotFound();
  return id;
}
