/** The canonical request: the same for every spelling, and the same type that uploads and fetches give. */
import { ACCEPT_CLASSES, type AcceptClass, EVERYWHERE } from "../contract/format-lists.ts";
import { inOrder } from "../contract/in-order.ts";
import { checked } from "../contract/message.ts";
import { Derivation } from "../contract/request.ts";
import { ApiError } from "../errors.ts";
import type { Asked, DerivationBody } from "./asked.ts";
import { merged } from "./merge.ts";
import type { Delivery } from "./rows.ts";

export interface Canonical {
  readonly processing: Derivation;
  /** What the client is taken to accept; absent where the address names the format. */
  readonly accept: string | undefined;
  /** The whole as one text: what results are known by. */
  readonly text: string;
}

/**
 * The canonical request of an address.
 * @param accept the client's header
 * @throws ApiError 422 naming a preset that is not there, or the first member that breaks a rule
 */
export function canonicalOf(
  delivery: Pick<Delivery, "presets" | "provenance">,
  asked: Asked,
  accept: string | undefined,
): Canonical {
  const { provenance } = delivery;
  // The default is not said, so that results are known by the same text as without it.
  const own: DerivationBody = provenance === "auto" ? {} : { output: { provenance } };
  const preset = asked.presets.reduce<DerivationBody>((under, name) => merged(under, presetOf(delivery, name)), own);
  const { output, ...rest } = checked(Derivation, merged(preset, asked.body));
  const { name: _, ...encoding } = output ?? {};
  const isNegotiated = encoding.format === undefined || encoding.format === "auto";
  const processing = { ...rest, output: { ...encoding, ...(isNegotiated && { format: "auto" as const }) } };
  const taken = isNegotiated ? classOf(accept) : undefined;
  const text = JSON.stringify([inOrder(processing), taken?.name ?? "", asked.variant]);
  return { processing, accept: taken?.accept.join(), text };
}

function presetOf({ presets }: Pick<Delivery, "presets">, name: string): DerivationBody {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (!preset) throw new ApiError(422, "preset must be one of the delivery's presets");
  return preset as DerivationBody;
}

/** Clients that name none of the formats that are not everybody's. */
const PLAIN = { name: "none", accept: EVERYWHERE } as const;

/**
 * Formats count that are named: `*` says little of browsers that are older than a format. A class that has a format which
 * the client refuses (`q=0`) is not its own.
 */
function classOf(accept = ""): Pick<AcceptClass, "name" | "accept"> {
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim().toLowerCase()));
  const isRefusal = (parameters: readonly string[]) => parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  const takes = (mime: string) => ranges.some(([range, ...rest]) => range === mime && !isRefusal(rest));
  const refuses = (mime: string) => ranges.some(([range, ...rest]) => range === mime && isRefusal(rest));
  const fits = ({ mimes, accept: all }: AcceptClass) => mimes.every(takes) && !all.some(refuses);
  return ACCEPT_CLASSES.find(fits) ?? PLAIN;
}
