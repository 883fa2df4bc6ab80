// There is one thread: locks lock nothing, and what would wait or start another traps.
#ifndef PTHREAD_H
#define PTHREAD_H
#include <time.h>

typedef int pthread_t, pthread_attr_t, pthread_mutex_t, pthread_cond_t, pthread_rwlock_t;
#define PTHREAD_MUTEX_INITIALIZER 0

#define pthread_mutex_init(mutex, attributes) ((void)(mutex), 0)
#define pthread_mutex_destroy(mutex) ((void)(mutex), 0)
#define pthread_mutex_lock(mutex) ((void)(mutex), 0)
#define pthread_mutex_unlock(mutex) ((void)(mutex), 0)
#define pthread_rwlock_init(lock, attributes) ((void)(lock), 0)
#define pthread_rwlock_destroy(lock) ((void)(lock), 0)
#define pthread_rwlock_rdlock(lock) ((void)(lock), 0)
#define pthread_rwlock_wrlock(lock) ((void)(lock), 0)
#define pthread_rwlock_unlock(lock) ((void)(lock), 0)
#define pthread_cond_init(condition, attributes) ((void)(condition), 0)
#define pthread_cond_destroy(condition) ((void)(condition), 0)
#define pthread_cond_signal(condition) ((void)(condition), 0)
#define pthread_cond_broadcast(condition) ((void)(condition), 0)
#define pthread_cond_wait(condition, mutex) (__builtin_trap(), 0)
#define pthread_cond_timedwait(condition, mutex, until) (__builtin_trap(), 0)
#define pthread_attr_init(attributes) ((void)(attributes), 0)
#define pthread_attr_destroy(attributes) ((void)(attributes), 0)
#define pthread_attr_getstacksize(attributes, bytes) ((void)(attributes), *(bytes) = 0, 0)
#define pthread_attr_setstacksize(attributes, bytes) ((void)(attributes), 0)
#define pthread_create(thread, attributes, start, argument) ((void)(start), __builtin_trap(), 0)
#define pthread_join(thread, result) (__builtin_trap(), 0)
#define pthread_exit(result) __builtin_trap()

#endif
