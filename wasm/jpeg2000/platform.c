// What OpenJPEG takes from its own outermost file, which would bring in files and boxes, and from the system.
#include "codec.h"

opj_event_mgr_t events;

const char *OPJ_CALLCONV opj_version(void) { return OPJ_PACKAGE_VERSION; }

void *OPJ_CALLCONV opj_image_data_alloc(OPJ_SIZE_T size) { return opj_aligned_malloc(size); }

void OPJ_CALLCONV opj_image_data_free(void *data) { opj_aligned_free(data); }

// OpenJPEG asks for switches of its users; there is no environment.
char *getenv(const char *name) {
  (void)name;
  return NULL;
}
