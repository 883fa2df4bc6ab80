// Lets work in C pause in the midst of a call: `breathe` is said in loops, with the work that was done since it was said
// last, in units whose time the caller knows (instance.ts). A call that was not made to pause goes on at once.
#pragma once

// Adds work up. Returns 1 when a stretch of it is full.
__attribute__((import_module("env"), import_name("breathe"))) int breathe_work(int work);
// Leaves the stack of this call until others had their turn; may not come back.
__attribute__((import_module("env"), import_name("pause"))) void breathe_pause(void);

static inline void breathe(int work) {
  if (breathe_work(work)) breathe_pause();
}
