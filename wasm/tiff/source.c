// The bytes of a file, as libtiff asks for them, and what it says of errors.
#include <string.h>
#include "tiff.h"

const char *damage;

static int note_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)data, (void)module;
  // Of libjpeg only the text says what is wrong; libtiff itself says which depths its codecs cannot do.
  const int is_text = strcmp(format, "%s") == 0;
  const int is_unsupported = is_text ? strcmp(va_arg(arguments, const char *), UNSUPPORTED) == 0
                                     : strstr(format, "data precision") || strncmp(format, "BitsPerSample", 13) == 0;
  damage = is_unsupported ? UNSUPPORTED : format;
  return 1;
}

// libtiff goes on with white pixels after a row of fax data that ends early, and with none after packed bits that do.
static int note_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)data, (void)arguments;
  const int is_fax = strncmp(module, "Fax", 3) == 0, is_guess = strncmp(format, "Try", 3) == 0;
  if ((is_fax && !is_guess) || strstr(format, "lack of data")) damage = format;
  return 1;
}

// Every plane that is read on its own has a place of its own in the file.
struct stream {
  int source;
  uint32_t size;
  uint64_t position;
};

static tmsize_t stream_read(thandle_t handle, void *to, tmsize_t length) {
  struct stream *stream = handle;
  if (stream->position >= stream->size || length <= 0) return 0;
  uint32_t read = pull(stream->source, (uint32_t)stream->position, to, (uint32_t)length);
  stream->position += read;
  return (tmsize_t)read;
}

static tmsize_t stream_write(thandle_t handle, void *from, tmsize_t length) {
  (void)handle, (void)from, (void)length;
  return 0;
}

static toff_t stream_seek(thandle_t handle, toff_t offset, int whence) {
  struct stream *stream = handle;
  uint64_t base = whence == SEEK_CUR ? stream->position : whence == SEEK_END ? stream->size : 0;
  return stream->position = base + offset;
}

static int stream_close(thandle_t handle) {
  _TIFFfree(handle);
  return 0;
}

static toff_t stream_size(thandle_t handle) { return ((struct stream *)handle)->size; }

TIFF *source_open(int source, uint32_t size, uint32_t most) {
  struct stream *stream = _TIFFcalloc(1, sizeof *stream);
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!stream || !options) tiff_fail("out of memory");
  stream->source = source;
  stream->size = size;
  TIFFOpenOptionsSetErrorHandlerExtR(options, note_error, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR(options, note_warning, NULL);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
  TIFFOpenOptionsSetMaxCumulatedMemAlloc(options, (tmsize_t)most);
  TIFF *file = TIFFClientOpenExt("tiff", "rmO", stream, stream_read, stream_write, stream_seek, stream_close, stream_size,
                                 NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  if (!file) _TIFFfree(stream);
  return file;
}
