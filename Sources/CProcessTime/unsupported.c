// For platforms on which the clocks of a process cannot be controlled: without glibc, or under a sanitizer, which
// overrides the same functions itself. Nothing of the C library is overridden here.

#include "internal.h"

#if defined(__linux__) && !PROCESS_TIME_IS_SUPPORTED

enum process_time_obstacle process_time_obstacle(void) {
#if PROCESS_TIME_HAS_SANITIZER
    return PROCESS_TIME_SANITIZER;
#else
    return PROCESS_TIME_OTHER_C_LIBRARY;
#endif
}

// These are never called, since no world can begin.

bool process_time_is_exit_test(void) { return false; }

bool process_time_begin(uint64_t seed) {
    (void)seed;
    return false;
}

void process_time_end(void) {}

uint64_t process_time_now(void) { return 0; }

uint64_t process_time_next_deadline(void) { return PROCESS_TIME_NEVER; }

void process_time_advance(uint64_t nanoseconds) { (void)nanoseconds; }

bool process_time_rest(uint64_t limit) {
    (void)limit;
    return false;
}

void process_time_observe_looks(void (*observer)(int)) { (void)observer; }

size_t process_time_describe_threads(bool all, char *text, size_t capacity) {
    (void)all;
    if (capacity) { text[0] = 0; }
    return 0;
}

size_t process_time_idle_threads(int *identifiers, size_t capacity) {
    (void)identifiers;
    (void)capacity;
    return 0;
}

void process_time_serve(process_time_step step, void *context, uint64_t rest_limit) {
    (void)step;
    (void)context;
    (void)rest_limit;
}

void process_time_serve_test(process_time_step step, void *context, uint64_t rest_limit) {
    (void)step;
    (void)context;
    (void)rest_limit;
}

void process_time_test_sleeps(void) {}

void process_time_is_called(void) {}

uint64_t process_time_set_random_stream(uint64_t identifier) {
    (void)identifier;
    return 0;
}

uint64_t process_time_set_place(uint64_t place) {
    (void)place;
    return 0;
}

uint64_t process_time_real_nanoseconds(void) { return 0; }

#endif
