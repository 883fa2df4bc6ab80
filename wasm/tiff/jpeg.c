// Errors of libjpeg, for libtiff, which puts its own functions in the place of some.
#include <stdio.h>
#include <string.h>
#include "jpeglib.h"
#include "jerror.h"
#include "tiff.h"

static void leave(j_common_ptr jpeg) {
  tiff_fail(jpeg->err->msg_code == JERR_BAD_PRECISION ? UNSUPPORTED : "damaged JPEG data");
}

// More data left before the end of a picture than this is lost picture, not padding.
enum { PADDING_BYTES = 256 };

// libjpeg goes on with gray or repeated pixels after these.
static int means_damage(const struct jpeg_error_mgr *errors) {
  switch (errors->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      return 1;
    case JWRN_EXTRANEOUS_DATA:
      return errors->msg_parm.i[1] == JPEG_EOI ? errors->msg_parm.i[0] > PADDING_BYTES
                                               : (errors->msg_parm.i[1] & 0xF8) == JPEG_RST0;
    default:
      return 0;
  }
}

static void note(j_common_ptr jpeg, int level) {
  if (level < 0 && means_damage(jpeg->err)) damage = "damaged JPEG data";
}

static void show(j_common_ptr jpeg) { (void)jpeg; }

// libtiff hands this on to source.c as what is wrong.
static void describe(j_common_ptr jpeg, char *text) {
  const int code = jpeg->err->msg_code;
  if (code == JERR_BAD_PRECISION) snprintf(text, JMSG_LENGTH_MAX, "%s", UNSUPPORTED);
  else snprintf(text, JMSG_LENGTH_MAX, "code %d", code);
}

static void reset(j_common_ptr jpeg) { jpeg->err->num_warnings = 0; }

struct jpeg_error_mgr *jpeg_std_error(struct jpeg_error_mgr *errors) {
  memset(errors, 0, sizeof *errors);
  errors->error_exit = leave;
  errors->emit_message = note;
  errors->output_message = show;
  errors->format_message = describe;
  errors->reset_error_mgr = reset;
  return errors;
}
