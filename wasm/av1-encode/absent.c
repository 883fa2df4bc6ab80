// What libaom asks for and stills on one thread do not need.
#include <setjmp.h>
#include <stddef.h>

#include "../native.h"
#include "aom/internal/aom_codec_internal.h"
#include "common/args_helper.h"

// Which kernels are used was decided when the module was built.
void aom_dsp_rtcd(void) {}
void av1_rtcd(void) {}
void aom_scale_rtcd(void) {}

// libaom jumps only when it gives up, from the record of its error, which says why.
void longjmp(jmp_buf buffer, int value) {
  (void)value;
  const struct aom_internal_error_info *const error =
      (const void *)((const char *)buffer - offsetof(struct aom_internal_error_info, jmp));
  fail(error->has_detail ? error->detail : "libaom gave up");
}

// Options are not set by text.
int arg_match_helper(struct arg *arg, const struct arg_def *definition, char **values, char *message) {
  (void)arg, (void)definition, (void)values, (void)message;
  return 0;
}
unsigned int arg_parse_uint_helper(const struct arg *arg, char *message) { return (void)arg, (void)message, 0; }
int arg_parse_int_helper(const struct arg *arg, char *message) { return (void)arg, (void)message, 0; }
struct aom_rational arg_parse_rational_helper(const struct arg *arg, char *message) {
  return (void)arg, (void)message, (struct aom_rational){0, 1};
}
int arg_parse_enum_helper(const struct arg *arg, char *message) { return (void)arg, (void)message, 0; }
int arg_parse_enum_or_int_helper(const struct arg *arg, char *message) { return (void)arg, (void)message, 0; }
int arg_parse_list_helper(const struct arg *arg, int *list, int count, char *message) {
  return (void)arg, (void)list, (void)count, (void)message, 0;
}
