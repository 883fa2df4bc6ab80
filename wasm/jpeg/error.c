// Errors of libjpeg-turbo and jpegli, both of which report through struct jpeg_error_mgr.
#include <stdlib.h>
#include <string.h>
#include "native.h"
#include "jerror.h"

#define JVERSION ""
#define JCOPYRIGHT_SHORT ""
#define JMESSAGE(code, string) string,
static const char *const messages[] = {
#undef JERROR_H
#include "jerror.h"
  NULL
};

// More data left between a finished scan and the end-of-image marker than this is lost picture, not padding.
enum { PADDING_BYTES = 256, FIRST_RESTART = 0xD0, END_OF_IMAGE = 0xD9 };

static void format_message(j_common_ptr jpeg, char *text) {
  const struct jpeg_error_mgr *e = jpeg->err;
  if (e->msg_code <= 0 || e->msg_code > e->last_jpeg_message) {
    // jpegli formats its messages itself.
    snprintf(text, JMSG_LENGTH_MAX, "%.80s", e->msg_parm.s);
    return;
  }
  const int *p = e->msg_parm.i;
  const char *format = messages[e->msg_code];
  if (strstr(format, "%s")) snprintf(text, JMSG_LENGTH_MAX, format, e->msg_parm.s);
  else snprintf(text, JMSG_LENGTH_MAX, format, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
}

static void error_exit(j_common_ptr jpeg) {
  static char text[JMSG_LENGTH_MAX];
  format_message(jpeg, text);
  fail(text);
}

// libjpeg goes on with gray or repeated pixels after these; a service must not pass such a picture on as whole.
static int means_damage(const struct jpeg_error_mgr *e) {
  switch (e->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      return 1;
    case JWRN_EXTRANEOUS_DATA:
      return e->msg_parm.i[1] == END_OF_IMAGE ? e->msg_parm.i[0] > PADDING_BYTES
                                              : (e->msg_parm.i[1] & 0xF8) == FIRST_RESTART;
    default:
      return 0;
  }
}

static void emit_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  jpeg->err->num_warnings++;
  if (means_damage(jpeg->err)) error_exit(jpeg);
}

// Where a damaged picture is wanted all the same, what is missing of it is gray.
static void note_message(j_common_ptr jpeg, int level) {
  if (level < 0) jpeg->err->num_warnings++;
}

static void output_message(j_common_ptr jpeg) { (void)jpeg; }

static void reset(j_common_ptr jpeg) {
  jpeg->err->num_warnings = 0;
  jpeg->err->msg_code = 0;
}

struct jpeg_error_mgr *error_manager(struct jpeg_error_mgr *e) {
  memset(e, 0, sizeof *e);
  e->error_exit = error_exit;
  e->emit_message = emit_message;
  e->output_message = output_message;
  e->format_message = format_message;
  e->reset_error_mgr = reset;
  e->jpeg_message_table = messages;
  e->last_jpeg_message = sizeof messages / sizeof *messages - 2;
  return e;
}

void show_damage(struct jpeg_error_mgr *e) { e->emit_message = note_message; }

void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) fail("out of memory");
  return memory;
}
