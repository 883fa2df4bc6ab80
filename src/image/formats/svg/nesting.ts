/** Selectors of rules that stand within style rules (CSS Nesting Level 1). */
import { partedByCommas } from "./commas.ts";
import { tooLarge } from "./document.ts";

/**
 * What a selector within a rule says by itself: `&` is an element that the rule around is about, and a selector without
 * it is of elements in one.
 * @param lettersLeft letters that such selectors may still become; they are taken from it
 * @throws ApiError 422 when they become more
 */
export function nestedSelector(text: string, around: string, lettersLeft: { left: number }): string {
  const isOne = partedByCommas(around).length === 1;
  const whole = `:is(${around})`;
  const made = partedByCommas(text).map((part) => {
    // Strings that are written anew have none of these.
    const parents = part.split("&").length - 1;
    // Without brackets where it says the same: brackets in brackets have a limit.
    if (parents === 0) return `${isOne ? around : whole} ${part}`;
    if (parents === 1 && isOne && /^&(?![-\w\\\u0080-\uffff])/.test(part)) return `${around}${part.slice(1)}`;
    lettersLeft.left -= parents * whole.length;
    if (lettersLeft.left < 0) throw tooLarge();
    return part.replaceAll("&", () => whole);
  });
  const selector = made.join(",");
  lettersLeft.left -= selector.length;
  if (lettersLeft.left < 0) throw tooLarge();
  return selector;
}
