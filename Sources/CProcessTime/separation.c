// Makes deadlines of libdispatch different. It has one timer descriptor for all timers of a clock: those with the same
// deadline become due together, and their queues run concurrently. A deadline that another timer has, or will have, is
// delayed by a few nanoseconds, in the order of the requests.
//
// Two repeating timers never coincide if the difference of their starts is not a multiple of the greatest common
// divisor of their intervals. That is impossible if the divisor is not larger than the number of such timers, as with
// intervals of 1000003 and 1000000 nanoseconds. These may coincide, and are not changed.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include "CDispatchWork.h"

#include <string.h>

// MARK: Values of dispatch_time_t

enum clock { UPTIME, MONOTONIC, WALL, CLOCKS };

#define DISPATCH_NOW UINT64_C(0)
#define DISPATCH_WALL_NOW (UINT64_MAX - 1)
#define DISPATCH_MONOTONIC (UINT64_C(1) << 63)

/// The two upper bits are 10 for the time since the start of the computer, 11 for a time of day, which is negative.
static enum clock clock_of_value(uint64_t when) {
    if (!(when >> 63)) { return UPTIME; }
    return when >> 62 == 3 ? WALL : MONOTONIC;
}

/// Nanoseconds of a clock for a value, and back.
static uint64_t converted(enum clock clock, uint64_t value) {
    if (clock == WALL) { return -value; }
    return clock == MONOTONIC ? value ^ DISPATCH_MONOTONIC : value;
}

static uint64_t now_of(enum clock clock) {
    return (clock == WALL ? REALTIME_ORIGIN : MONOTONIC_ORIGIN) + process_time_now();
}

// MARK: Assigned deadlines

#define LARGEST_COUNT 4096
#define LARGEST_REPEATING_COUNT 256
/// The maximum delay of a deadline.
#define LARGEST_DELAY 10000

/// Pending deadlines in order; the earliest are dropped if there are too many.
static struct {
    uint64_t instants[LARGEST_COUNT];
    size_t count;
} single[CLOCKS];

/// Repeating timers; the first is dropped if there are too many. Cancellations are not observed.
static struct repeating {
    enum clock clock;
    uint64_t start, interval;
} repeating[LARGEST_REPEATING_COUNT];
static size_t repeating_count;

/// The index of the first instant that is not before another.
static size_t place_of(enum clock clock, uint64_t instant) {
    size_t first = 0, last = single[clock].count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        if (single[clock].instants[middle] < instant) { first = middle + 1; } else { last = middle; }
    }
    return first;
}

static void remove_first(enum clock clock, size_t count) {
    single[clock].count -= count;
    memmove(single[clock].instants, single[clock].instants + count, single[clock].count * sizeof(uint64_t));
}

static void keep_single(enum clock clock, uint64_t instant) {
    if (single[clock].count == LARGEST_COUNT) { remove_first(clock, 1); }
    size_t place = place_of(clock, instant);
    uint64_t *at = single[clock].instants + place;
    memmove(at + 1, at, (single[clock].count - place) * sizeof *at);
    *at = instant;
    single[clock].count += 1;
}

static void keep_repeating(struct repeating timer) {
    if (repeating_count == LARGEST_REPEATING_COUNT) {
        memmove(repeating, repeating + 1, sizeof repeating - sizeof *repeating);
        repeating_count -= 1;
    }
    repeating[repeating_count++] = timer;
}

// MARK: Coincidences

static uint64_t greatest_common_divisor(uint64_t first, uint64_t second) {
    while (second) {
        uint64_t rest = first % second;
        first = second;
        second = rest;
    }
    return first;
}

static uint64_t distance(uint64_t first, uint64_t second) { return first < second ? second - first : first - second; }

static bool is_reached(const struct repeating *timer, enum clock clock, uint64_t instant) {
    return timer->clock == clock && instant >= timer->start && (instant - timer->start) % timer->interval == 0;
}

static bool meets_single(const struct repeating *timer) {
    for (size_t place = place_of(timer->clock, timer->start); place < single[timer->clock].count; place += 1) {
        if (is_reached(timer, timer->clock, single[timer->clock].instants[place])) { return true; }
    }
    return false;
}

static bool meets(const struct repeating *timer) {
    for (size_t index = 0; index < repeating_count; index += 1) {
        const struct repeating *other = &repeating[index];
        if (timer->interval == 0) {
            if (is_reached(other, timer->clock, timer->start)) { return true; }
        } else if (other->clock == timer->clock) {
            uint64_t divisor = greatest_common_divisor(timer->interval, other->interval);
            if (distance(timer->start, other->start) % divisor == 0) { return true; }
        }
    }
    if (timer->interval > 0) { return meets_single(timer); }
    size_t place = place_of(timer->clock, timer->start);
    return place < single[timer->clock].count && single[timer->clock].instants[place] == timer->start;
}

/// Returns a deadline that no other timer has; an interval of 0 means no repetition. The lock is held.
static uint64_t separated(enum clock clock, uint64_t instant, uint64_t interval) {
    for (int kind = 0; kind < CLOCKS; kind += 1) { remove_first(kind, place_of(kind, now_of(kind))); }
    struct repeating timer = {clock, instant, interval};
    while (timer.start - instant < LARGEST_DELAY && meets(&timer)) { timer.start += 1; }
    if (timer.start - instant == LARGEST_DELAY) { timer.start = instant; }
    if (interval > 0) { keep_repeating(timer); } else { keep_single(clock, timer.start); }
    return timer.start;
}

static uint64_t separated_value(uint64_t when, uint64_t interval) {
    enum clock clock = clock_of_value(when);
    lock_world();
    uint64_t instant = converted(clock, when);
    uint64_t now = now_of(clock);
    // A deadline in the past is due now, possibly together with others.
    if (interval == 0 && instant < now) { instant = now; }
    instant = separated(clock, instant, interval);
    unlock_world();
    return converted(clock, instant);
}

// MARK: Timers

uint64_t deadline_of_timer(uint64_t start, uint64_t interval) {
    if (start == DISPATCH_FOREVER || !is_living()) { return start; }
    if (start == DISPATCH_NOW) { start = now_of(UPTIME); }
    if (start == DISPATCH_WALL_NOW) { start = converted(WALL, now_of(WALL)); }
    // A timer that is always due coincides with every other.
    if (interval < 1000) { return start; }
    return separated_value(start, interval >= PROCESS_TIME_LONGEST ? 0 : interval);
}

static bool is_ahead(uint64_t when) {
    if (when == DISPATCH_FOREVER || when == DISPATCH_NOW || when == DISPATCH_WALL_NOW || !is_living()) { return false; }
    enum clock clock = clock_of_value(when);
    return converted(clock, when) > now_of(clock);
}

/// Due work is not a timer.
static uint64_t deadline_of_work(uint64_t when) { return is_ahead(when) ? separated_value(when, 0) : when; }

void separate_deadlines(bool begins) {
    memset(single, 0, sizeof single);
    repeating_count = 0;
    dispatch_work_adjust_deadlines(begins ? deadline_of_work : NULL, begins ? is_ahead : NULL);
}

#endif
