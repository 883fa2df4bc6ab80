// dav1d asks for these only where there are several threads.
#include "config.h"
#include "src/internal.h"
#include "src/thread_task.h"

int dav1d_task_create_tile_sbrow(Dav1dFrameContext *frame, int pass, int cond_signal) {
  (void)frame, (void)pass, (void)cond_signal;
  __builtin_trap();
}
void dav1d_task_frame_init(Dav1dFrameContext *frame) {
  (void)frame;
  __builtin_trap();
}
void dav1d_task_delayed_fg(Dav1dContext *context, Dav1dPicture *out, const Dav1dPicture *in) {
  (void)context, (void)out, (void)in;
  __builtin_trap();
}
void *dav1d_worker_task(void *data) {
  (void)data;
  __builtin_trap();
}
