/**
 * Who signs for an account: the signer that a request names, its newest one, or else that of the deployment; with the time of an
 * authority, where it names one.
 */
import { listAssets, openAsset, openNewestAsset, type Shelf } from "../account/assets.ts";
import { checked } from "../contract/message.ts";
import { SignerSecret } from "../contract/signers.ts";
import type { Settings } from "../env.ts";
import { openSigner, type Signer } from "../image/provenance/signer.ts";
import { mayStamp, stamped } from "../source/time-stamp.ts";

/**
 * @param id of a signer that the account has saved; undefined for the one that signs where none is named
 * @returns undefined when there is none
 * @throws ApiError 500 when what was saved cannot be opened
 */
export async function signerOf(shelf: Shelf, settings: Settings, id?: string): Promise<Signer | undefined> {
  const saved =
    id === undefined
      ? ((await openNewestAsset(shelf, "signer")) ?? ofDeployment(settings))
      : await openAsset(shelf, "signer", id);
  if (saved === undefined) return undefined;
  const secret = saved as SignerSecret;
  const { signer } = await openSigner(secret);
  const { tsa } = secret;
  return tsa !== undefined && mayStamp(settings, tsa) ? { ...signer, stamp: (data) => stamped(tsa, data) } : signer;
}

/** Whether there is somebody who signs for an account. */
export async function hasSigner(shelf: Shelf, { signer }: Settings): Promise<boolean> {
  return signer !== undefined || (await listAssets(shelf, "signer", { offset: 0, limit: 1 })).length > 0;
}

function ofDeployment({ signer }: Settings): SignerSecret | undefined {
  return signer === undefined ? undefined : checked(SignerSecret, JSON.parse(signer) as object);
}
