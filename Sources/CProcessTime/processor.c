// The processor of a world's threads. They do one piece of work after the other, and waking a thread on another
// processor takes longer than most pieces of work. So the thread that advances the world, those of libdispatch's pool
// and the one with its timers share the processor of the first. If there is no rest for a while, because work runs
// concurrently or another process uses that processor, they may run on all processors until there is.
//
// This only affects speed. The app does not notice it: before it gets or sets the processors of a thread, and before it
// starts a thread or a process, all threads have their own again.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_COUNT 256

/// Counts the starts and ends of sharing: odd while threads share a processor.
static atomic_uint phase;
/// The phase in which this thread joined the others.
static __thread unsigned own_phase;

/// Changed with the world's lock held.
static cpu_set_t all_processors, shared_processor;
static int sharing_threads[LARGEST_COUNT];
static int sharing_count;

static void set_processors(int thread, const cpu_set_t *set) {
    kernel_call(SYS_sched_setaffinity, thread, sizeof *set, (long)set, 0, 0, 0);
}

static bool read_processors(cpu_set_t *set) {
    CPU_ZERO(set);
    return kernel_call(SYS_sched_getaffinity, 0, sizeof *set, (long)set, 0, 0, 0) > 0;
}

void share_processor(void) {
    unsigned present = atomic_load(&phase);
    if (present % 2 == 0 || own_phase == present) { return; }
    lock_world();
    cpu_set_t own;
    // A thread that may not run on every processor of the others has an affinity of its own, and keeps it.
    if (atomic_load(&phase) == present && sharing_count < LARGEST_COUNT && read_processors(&own) &&
        CPU_EQUAL(&own, &all_processors)) {
        sharing_threads[sharing_count++] = (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
        set_processors(0, &shared_processor);
    }
    own_phase = present;
    unlock_world();
}

void begin_sharing_processor(void) {
    if (atomic_load(&phase) % 2 == 0) {
        lock_world();
        int processor = sched_getcpu();
        bool is_known = processor >= 0 && processor < CPU_SETSIZE && read_processors(&all_processors);
        bool has_choice = is_known && CPU_COUNT(&all_processors) > 1;
        if (has_choice && is_living() && atomic_load(&phase) % 2 == 0) {
            CPU_ZERO(&shared_processor);
            CPU_SET(processor, &shared_processor);
            atomic_fetch_add(&phase, 1);
        }
        unlock_world();
    }
    share_processor();
}

void end_sharing_processor(void) {
    if (atomic_load(&phase) % 2 == 0) { return; }
    lock_world();
    if (atomic_load(&phase) % 2 != 0) {
        atomic_fetch_add(&phase, 1);
        while (sharing_count > 0) { set_processors(sharing_threads[--sharing_count], &all_processors); }
    }
    unlock_world();
}

// MARK: Calls of the app

INTERPOSED int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set) {
    end_sharing_processor();
    return NEXT(sched_getaffinity)(thread, size, set);
}

INTERPOSED int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set) {
    end_sharing_processor();
    return NEXT(sched_setaffinity)(thread, size, set);
}

INTERPOSED int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    end_sharing_processor();
    return NEXT(pthread_getaffinity_np)(thread, size, set);
}

INTERPOSED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
    end_sharing_processor();
    return NEXT(pthread_setaffinity_np)(thread, size, set);
}

INTERPOSED int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*function)(void *),
    void *restrict argument
) {
    end_sharing_processor();
    int result = NEXT(pthread_create)(thread, attributes, function, argument);
    // Before the present thread can sleep; a concurrent look at the threads is repeated.
    count_start();
    return result;
}

INTERPOSED pid_t fork(void) {
    end_sharing_processor();
    return NEXT(fork)();
}

INTERPOSED int posix_spawn(
    pid_t *restrict process, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
    const posix_spawnattr_t *restrict attributes, char *const arguments[restrict], char *const environment[restrict]
) {
    end_sharing_processor();
    return NEXT(posix_spawn)(process, path, actions, attributes, arguments, environment);
}

INTERPOSED int posix_spawnp(
    pid_t *restrict process, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
    const posix_spawnattr_t *restrict attributes, char *const arguments[restrict], char *const environment[restrict]
) {
    end_sharing_processor();
    return NEXT(posix_spawnp)(process, file, actions, attributes, arguments, environment);
}

INTERPOSED FILE *popen(const char *command, const char *type) {
    end_sharing_processor();
    return NEXT(popen)(command, type);
}

INTERPOSED int system(const char *command) {
    end_sharing_processor();
    return NEXT(system)(command);
}

#endif
