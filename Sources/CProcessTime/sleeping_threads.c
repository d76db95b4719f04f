// Finds out whether every other thread of the process sleeps. The kernel reports for each thread whether it sleeps and
// whether it has left its processor: a thread that is about to sleep, and counts as asleep, may have woken another one,
// or not sleep after all. The number of context switches shows that no thread ran during the check, so that none has
// woken another. The files stay open, since this check follows each step of a world.

#include "waits.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

/// The wait for threads of the pool before all threads are checked, in nanoseconds of real time.
#define WAITING_TIME 100000
/// The time for which threads share a processor without rest.
#define SHARING_TIME 1000000
/// The number of faster rests in a row after which they share one again; meanwhile the system chooses processors.
#define SHARING_COUNT 16

struct thread {
    int identifier;
    /// Its files "stat" and "syscall"; negative if missing.
    int descriptor, call_descriptor;
    bool is_seen;
    /// Whether it waits for work in libdispatch's pool, so that the kernel need not be asked.
    bool is_idle;
};

static struct thread *threads;
static size_t thread_count, thread_capacity;
static int folder = -1;

static int own_identifier(void) { return (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0); }

static long open_file(const char *path) {
    return kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

static long read_at_start(int descriptor, char *text, size_t capacity) {
    return kernel_call(SYS_pread64, descriptor, (long)text, (long)capacity, 0, 0, 0);
}

// MARK: The threads

static void note_thread(int identifier) {
    for (size_t index = 0; index < thread_count; index += 1) {
        if (threads[index].identifier != identifier) { continue; }
        // The identifier may have been reused for another thread.
        char text[64];
        threads[index].is_seen = read_at_start(threads[index].descriptor, text, sizeof text) > 0;
        if (threads[index].is_seen) { return; }
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", identifier);
    long descriptor = open_file(path);
    if (descriptor < 0) { return; }
    if (thread_count == thread_capacity) {
        size_t capacity = thread_capacity ? 2 * thread_capacity : 32;
        struct thread *larger = realloc(threads, capacity * sizeof *threads);
        if (!larger) {
            kernel_call(SYS_close, descriptor, 0, 0, 0, 0, 0);
            return;
        }
        threads = larger;
        thread_capacity = capacity;
    }
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", identifier);
    threads[thread_count++] = (struct thread){
        .identifier = identifier, .descriptor = (int)descriptor, .call_descriptor = (int)open_file(path), .is_seen = true
    };
}

static void close_files(const struct thread *thread) {
    kernel_call(SYS_close, thread->descriptor, 0, 0, 0, 0, 0);
    if (thread->call_descriptor >= 0) { kernel_call(SYS_close, thread->call_descriptor, 0, 0, 0, 0, 0); }
}

static void forget_ended_threads(void) {
    size_t kept = 0;
    for (size_t index = 0; index < thread_count; index += 1) {
        if (threads[index].is_seen) {
            threads[kept++] = threads[index];
        } else {
            close_files(&threads[index]);
        }
    }
    thread_count = kept;
}

static void list_threads(void) {
    struct {
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    } *entry;
    char entries[8192] __attribute__((aligned(8)));
    for (size_t index = 0; index < thread_count; index += 1) { threads[index].is_seen = false; }
    kernel_call(SYS_lseek, folder, 0, SEEK_SET, 0, 0, 0);
    for (;;) {
        long count = kernel_call(SYS_getdents64, folder, (long)entries, sizeof entries, 0, 0, 0);
        if (count <= 0) { break; }
        for (long offset = 0; offset < count; offset += entry->length) {
            entry = (void *)(entries + offset);
            int identifier = atoi(entry->name);
            if (identifier > 0) { note_thread(identifier); }
        }
    }
    forget_ended_threads();
}

/// The number of threads of the process: the folder has a link for each, and two more.
static size_t count_threads(void) {
    struct stat status;
    return fstat(folder, &status) == 0 && status.st_nlink > 2 ? (size_t)status.st_nlink - 2 : 0;
}

// MARK: Sleep

/// The letter of a thread's state; 0 if it has ended.
static char state_of(const struct thread *thread) {
    char text[128];
    long count = read_at_start(thread->descriptor, text, sizeof text - 1);
    if (count <= 0) { return 0; }
    text[count] = 0;
    // The name before it is in brackets and may contain brackets.
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 'R';
}

static bool is_asleep(char state) { return state == 'S' || state == 'Z' || state == 'X'; }

/// Whether a sleeping thread has left its processor. The kernel waits until it has, and reports "running" if it
/// continues instead.
static bool has_left_processor(const struct thread *thread) {
    char text[16];
    bool is_known = thread->call_descriptor >= 0;
    long count = is_known ? read_at_start(thread->call_descriptor, text, sizeof text) : 0;
    return count < 1 || text[0] != 'r';
}

static long own_switches(void) {
    struct rusage own;
    getrusage(RUSAGE_THREAD, &own);
    return own.ru_nvcsw + own.ru_nivcsw;
}

/// The number of context switches of other threads.
static long count_switches(void) {
    struct rusage all;
    long own, after = own_switches();
    // A switch of this thread between the two would be counted as another thread's.
    do {
        own = after;
        getrusage(RUSAGE_SELF, &all);
        after = own_switches();
    } while (after != own);
    return all.ru_nvcsw + all.ru_nivcsw - own;
}

static void mark_idle(int identifier) {
    for (size_t index = 0; index < thread_count; index += 1) {
        if (threads[index].identifier == identifier) { threads[index].is_idle = true; }
    }
}

/// Marks threads that wait for work; returns the number of other threads.
static size_t mark_idle_threads(int own) {
    for (size_t index = 0; index < thread_count; index += 1) { threads[index].is_idle = false; }
    list_idle_threads(mark_idle);
    mark_idle(idle_world_thread());
    size_t others = 0;
    for (size_t index = 0; index < thread_count; index += 1) {
        if (threads[index].identifier != own && !threads[index].is_idle) { others += 1; }
    }
    return others;
}

static void (*_Atomic look_observer)(int identifier);

void process_time_observe_looks(void (*observer)(int)) { atomic_store(&look_observer, observer); }

static void report_look(int identifier) {
    void (*observer)(int) = atomic_load_explicit(&look_observer, memory_order_acquire);
    if (observer) { observer(identifier); }
}

/// Whether every other thread sleeps; `awake` gets the index of one that does not.
static bool is_at_rest(int own, size_t *awake) {
    if (atomic_load(&process_time_real_waits) > 0) { return false; }
    // Check the thread first that was awake last.
    if (*awake < thread_count && threads[*awake].identifier != own && !is_asleep(state_of(&threads[*awake]) ?: 'X')) {
        return false;
    }
    // While the count of starts stays the same, waiting threads keep waiting and no thread is new.
    unsigned starts = count_starts();
    if (count_threads() != thread_count) { list_threads(); }
    size_t asked = mark_idle_threads(own);
    report_look(0);
    // If only one thread does not wait for work and it sleeps, there is rest. If there are more, one of them may have
    // woken another one that was checked before.
    long switches = asked > 1 ? count_switches() : 0;
    for (size_t index = 0; index < thread_count; index += 1) {
        if (threads[index].identifier == own || threads[index].is_idle) { continue; }
        char state = state_of(&threads[index]);
        report_look(threads[index].identifier);
        if (state == 0) { list_threads(); return false; }
        if (!is_asleep(state) || (state == 'S' && !has_left_processor(&threads[index]))) {
            *awake = index;
            return false;
        }
    }
    return (asked <= 1 || count_switches() == switches) && count_threads() == thread_count &&
           count_starts() == starts && atomic_load(&process_time_real_waits) == 0;
}

/// The number of threads that waited for work at the last rest.
static int idle_at_rest;
/// The number of fast rests in a row.
static unsigned soon_count;

int sleeping_thread(void) {
    int own = own_identifier();
    for (size_t index = 0; index < thread_count; index += 1) {
        if (threads[index].identifier != own && state_of(&threads[index]) == 'S') { return threads[index].identifier; }
    }
    return 0;
}

bool process_time_rest(uint64_t limit) {
    if (folder < 0) { folder = (int)open_file("/proc/self/task"); }
    int own = own_identifier();
    int attempt = 0;
    size_t awake = SIZE_MAX;
    uint64_t start = 0;
    for (unsigned count = 0;; count += 1) {
        // Most rests begin when as many threads wait for work as at the last one.
        if (count < 30 && count_idle_threads() < idle_at_rest) { wait_for_idle_threads(idle_at_rest, WAITING_TIME); }
        if (is_at_rest(own, &awake)) {
            idle_at_rest = count_idle_threads();
            if (!is_living()) { return true; }
            bool has_work = serve_waiting_work();
            // A full pool starts no more threads.
            if (!wake_again(attempt) && (!has_work || attempt > 1000)) { break; }
            attempt += 1;
            continue;
        }
        uint64_t now = process_time_real_nanoseconds();
        if (start == 0) { start = now; }
        if (now - start > SHARING_TIME) { end_sharing_processor(); }
        if (count < 30) {
            kernel_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
            continue;
        }
        if (now - start > limit) { return false; }
        struct timespec pause = {.tv_nsec = count < 200 ? 5000 : 200000};
        kernel_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    bool is_soon = start == 0 || process_time_real_nanoseconds() - start <= SHARING_TIME;
    soon_count = is_soon ? soon_count + 1 : 0;
    if (soon_count >= SHARING_COUNT) { begin_sharing_processor(); }
    return true;
}

#endif
