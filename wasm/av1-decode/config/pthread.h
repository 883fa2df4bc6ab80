// Threads as dav1d names them, for a module that has one: locks are no-ops, and no thread is ever started.
#pragma once

typedef int pthread_t, pthread_attr_t, pthread_mutex_t, pthread_cond_t, pthread_once_t;

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0

static inline int pthread_attr_init(pthread_attr_t *attr) { return (void)attr, 0; }
static inline int pthread_attr_destroy(pthread_attr_t *attr) { return (void)attr, 0; }
static inline int pthread_attr_setstacksize(pthread_attr_t *attr, unsigned long size) {
  return (void)attr, (void)size, 0;
}
static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attr) { return (void)mutex, (void)attr, 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) { return (void)mutex, 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
static inline int pthread_cond_init(pthread_cond_t *cond, const void *attr) { return (void)cond, (void)attr, 0; }
static inline int pthread_cond_destroy(pthread_cond_t *cond) { return (void)cond, 0; }
static inline int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  return (void)cond, (void)mutex, 0;
}
static inline int pthread_cond_signal(pthread_cond_t *cond) { return (void)cond, 0; }
static inline int pthread_cond_broadcast(pthread_cond_t *cond) { return (void)cond, 0; }
static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument) {
  return (void)thread, (void)attr, (void)run, (void)argument, 1;
}
static inline int pthread_join(pthread_t thread, void **result) { return (void)thread, (void)result, 1; }
static inline int pthread_once(pthread_once_t *once, void (*run)(void)) {
  if (!*once) *once = 1, run();
  return 0;
}
