// There is one thread: nobody else could post what is waited for.
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

typedef int sem_t;

#define sem_init(semaphore, shared, value) (*(semaphore) = (value), 0)
#define sem_destroy(semaphore) ((void)(semaphore), 0)
#define sem_post(semaphore) (++*(semaphore), 0)
#define sem_wait(semaphore) (*(semaphore) > 0 ? (--*(semaphore), 0) : (__builtin_trap(), 0))

#endif
