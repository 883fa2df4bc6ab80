/* Inflating of data that is neither PNG rows nor small: piece by piece into the caller's memory. */
#include "inflate.h"

#define PIECE (256 << 10) /* bytes that are made at a time: about a millisecond */

/* Returns 0 when memory ran out. */
Inflate *EXPORT(inflater_open)(void) { return inflate_open(PIECE); }
void EXPORT(inflater_close)(Inflate *s) { inflate_close(s); }

/* Where compressed bytes go, and how many; the place moves with each call. */
uint8_t *EXPORT(inflater_input)(Inflate *s) {
  size_t room;
  return inflate_input(s, &room);
}
int EXPORT(inflater_room)(Inflate *s) {
  size_t room;
  inflate_input(s, &room);
  return (int)room;
}
void EXPORT(inflater_feed)(Inflate *s, int count, int last) { inflate_feed(s, (size_t)count, last); }

/* Makes the next piece and gives up the one before. Returns its bytes; 0: input is needed; negative: it is damaged. */
int EXPORT(inflater_run)(Inflate *s) {
  size_t have;
  inflate_output(s, &have);
  inflate_take(s, have);
  const InflateStatus status = inflate_run(s);
  inflate_output(s, &have);
  return have > 0 ? (int)have : status == INFLATE_MORE ? 0 : status == INFLATE_END ? INFLATE_TRUNCATED : (int)status;
}
const uint8_t *EXPORT(inflater_output)(const Inflate *s) {
  size_t have;
  return inflate_output(s, &have);
}
