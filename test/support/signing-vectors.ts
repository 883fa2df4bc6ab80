/** The signatures that the documentation says are right. */

/** What they are made with: 32 bytes each, counted up. */
export const VECTOR_PAIR = { key: counted(0), salt: counted(32) };
export const VECTOR_BASE = "https://darkroom.example.com/i/dl_7Kq2mZxA4bLkP0sV";

function counted(from: number): string {
  return Array.from({ length: 32 }, (_, index) => (from + index).toString(16).padStart(2, "0")).join("");
}

/** Addresses and the same signed, as a page lists them. */
export function vectorsOf(page: string): readonly { readonly address: string; readonly signed: string }[] {
  const rows = page.matchAll(/^\| `(\/[^`]+)` +\| `(\/[^`]+)` +\|$/gm);
  return Array.from(rows, ([, plain = "", signed = ""]) => ({
    address: VECTOR_BASE + plain,
    signed: VECTOR_BASE + signed,
  }));
}
