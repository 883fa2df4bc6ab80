// The imports of all modules.
#include "host.h"

extern "C" {

__attribute__((noreturn)) void host_trap(void);

void fail(const char *text) {
  host::look_at(text, strlen(text));
  if (!host::escape) host::wrong("fail outside of a job");
  longjmp(*host::escape, 1);
}

void host_trap(void) {
  host::trapped = true;
  if (!host::escape) host::wrong("a trap outside of a job");
  longjmp(*host::escape, 1);
}

// Every other stretch of work is full.
int breathe_work(int work) {
  static unsigned total;
  total += (unsigned)work;
  return (int)(total & 1);
}

void breathe_pause(void) {}
}
