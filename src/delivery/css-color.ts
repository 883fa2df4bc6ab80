/** Colors as style sheets write them. */
import names from "color-name";

/** RRGGBB of a hex color, a name, or `rgb(…)`; undefined for anything else, and for what can be seen through entirely. */
export function cssColor(text: string): string | undefined {
  const value = text.trim().toLowerCase();
  const [, digits] = /^#?((?:[\da-f]{3,4}){1,2})$/.exec(value) ?? [];
  if (digits !== undefined) return digits.length < 6 ? doubled(digits.slice(0, 3)) : digits.slice(0, 6);
  const [, inside] = /^rgba?\(([^()]{1,64})\)$/.exec(value) ?? [];
  const channels = inside === undefined ? named(value) : channelsOf(inside);
  return channels && Uint8Array.from(channels).toHex();
}

function named(value: string): readonly number[] | undefined {
  return Object.hasOwn(names, value) ? names[value] : undefined;
}

function channelsOf(inside: string): number[] | undefined {
  const parts = inside.split(/[\s,/]+/).filter((part) => part !== "");
  const channels = parts.slice(0, 3).map((part) => {
    const [, amount, unit] = /^(\d{1,3}(?:\.\d+)?)(%?)$/.exec(part) ?? [];
    return amount === undefined ? Number.NaN : Math.min(255, Math.round(Number(amount) * (unit === "%" ? 2.55 : 1)));
  });
  return parts.length >= 3 && parts.length <= 4 && !channels.some(Number.isNaN) ? channels : undefined;
}

function doubled(digits: string): string {
  return [...digits].map((digit) => digit + digit).join("");
}
