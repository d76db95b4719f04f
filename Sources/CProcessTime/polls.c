// Waits for descriptors with a limit, together with an additional event descriptor.

#include "waits.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

static void wake_descriptor(struct waiter *waiter) {
    const uint64_t one = 1;
    (void)kernel_call(SYS_write, waiter->descriptor, (long)&one, sizeof one, 0, 0, 0);
}

static long kernel_poll(struct pollfd *polls, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    struct timespec left = limit ? *limit : (struct timespec){0};
    return kernel_call(SYS_ppoll, (long)polls, (long)count, limit ? (long)&left : 0, (long)mask, _NSIG / 8, 0);
}

/// Waits for descriptors until a deadline of the world; a negative result is the error.
static long poll_until(struct pollfd *polls, nfds_t count, uint64_t deadline, const sigset_t *mask) {
    const struct timespec none = {0};
    if (deadline == PROCESS_TIME_NEVER) { return kernel_poll(polls, count, NULL, mask); }
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct pollfd *all = descriptor < 0 ? NULL : malloc((count + 1) * sizeof *all);
    if (!all) {
        if (descriptor >= 0) { close(descriptor); }
        return -ENOMEM;
    }
    memcpy(all, polls, count * sizeof *all);
    all[count] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    struct waiter waiter = {.wake = wake_descriptor, .descriptor = descriptor};
    long result = 0;
    if (enter_wait(&waiter, deadline)) {
        begin_wait(true);
        result = kernel_poll(all, count + 1, NULL, mask);
        end_wait();
        leave_wait(&waiter);
    } else {
        result = kernel_poll(all, count, &none, mask);
    }
    for (nfds_t index = 0; index < count; index += 1) { polls[index].revents = all[index].revents; }
    if (result > 0 && all[count].revents) { result -= 1; }
    free(all);
    close(descriptor);
    return result;
}

static int returned(long result) {
    if (result >= 0) { return (int)result; }
    errno = (int)-result;
    return -1;
}

// MARK: poll

INTERPOSED int poll(struct pollfd *polls, nfds_t count, int milliseconds) {
    if (!is_living() || milliseconds <= 0) { return NEXT(poll)(polls, count, milliseconds); }
    return returned(poll_until(polls, count, deadline_after((uint64_t)milliseconds * 1000000), NULL));
}

INTERPOSED int ppoll(struct pollfd *polls, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    if (!is_living() || !limit || nanoseconds_of(limit) == 0) { return NEXT(ppoll)(polls, count, limit, mask); }
    return returned(poll_until(polls, count, deadline_after(nanoseconds_of(limit)), mask));
}

// MARK: epoll

static int epoll_until(
    int descriptor, struct epoll_event *events, int capacity, uint64_t deadline, const sigset_t *mask
) {
    for (;;) {
        struct pollfd set = {.fd = descriptor, .events = POLLIN};
        long result = poll_until(&set, 1, deadline, mask);
        if (result < 0) { return returned(result); }
        // Another thread may have handled the ready descriptor.
        int count = NEXT(epoll_pwait)(descriptor, events, capacity, 0, mask);
        if (count != 0 || result == 0) { return count; }
    }
}

INTERPOSED int epoll_wait(int descriptor, struct epoll_event *events, int capacity, int milliseconds) {
    // The thread with the timers of libdispatch.
    if (is_in_dispatch(__builtin_return_address(0))) { share_processor(); }
    if (is_living() && milliseconds < 0 && is_test_thread()) {
        // The test runs a run loop.
        begin_wait(true);
        int count = NEXT(epoll_wait)(descriptor, events, capacity, milliseconds);
        int error = errno;
        end_wait();
        errno = error;
        return count;
    }
    if (!is_living() || milliseconds <= 0) { return NEXT(epoll_wait)(descriptor, events, capacity, milliseconds); }
    return epoll_until(descriptor, events, capacity, deadline_after((uint64_t)milliseconds * 1000000), NULL);
}

INTERPOSED int epoll_pwait(
    int descriptor, struct epoll_event *events, int capacity, int milliseconds, const sigset_t *mask
) {
    if (!is_living() || milliseconds <= 0) {
        return NEXT(epoll_pwait)(descriptor, events, capacity, milliseconds, mask);
    }
    return epoll_until(descriptor, events, capacity, deadline_after((uint64_t)milliseconds * 1000000), mask);
}

int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);

INTERPOSED int epoll_pwait2(
    int descriptor, struct epoll_event *events, int capacity, const struct timespec *limit, const sigset_t *mask
) {
    if (!is_living() || !limit || nanoseconds_of(limit) == 0) {
        return NEXT(epoll_pwait2)(descriptor, events, capacity, limit, mask);
    }
    return epoll_until(descriptor, events, capacity, deadline_after(nanoseconds_of(limit)), mask);
}

// MARK: select

static bool has(int descriptor, const fd_set *set) { return set && FD_ISSET(descriptor, set); }

static int select_until(
    int count, fd_set *reads, fd_set *writes, fd_set *exceptions, uint64_t deadline, const sigset_t *mask
) {
    if (count < 0 || count > FD_SETSIZE) { return returned(-EINVAL); }
    struct pollfd polls[FD_SETSIZE];
    nfds_t used = 0;
    for (int descriptor = 0; descriptor < count; descriptor += 1) {
        short events = 0;
        if (has(descriptor, reads)) { events |= POLLIN; }
        if (has(descriptor, writes)) { events |= POLLOUT; }
        if (has(descriptor, exceptions)) { events |= POLLPRI; }
        if (events) { polls[used++] = (struct pollfd){.fd = descriptor, .events = events}; }
    }
    long result = poll_until(polls, used, deadline, mask);
    if (result < 0) { return returned(result); }
    int ready = 0;
    for (nfds_t index = 0; index < used; index += 1) {
        const struct pollfd poll = polls[index];
        if (poll.revents & POLLNVAL) { return returned(-EBADF); }
        const short masks[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};
        fd_set *const sets[3] = {reads, writes, exceptions};
        for (int kind = 0; kind < 3; kind += 1) {
            if (!has(poll.fd, sets[kind])) { continue; }
            if (poll.revents & masks[kind]) { ready += 1; } else { FD_CLR(poll.fd, sets[kind]); }
        }
    }
    return ready;
}

INTERPOSED int select(
    int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict exceptions,
    struct timeval *restrict limit
) {
    if (!is_living() || !limit || (limit->tv_sec == 0 && limit->tv_usec == 0)) {
        return NEXT(select)(count, reads, writes, exceptions, limit);
    }
    const struct timespec duration = {.tv_sec = limit->tv_sec, .tv_nsec = limit->tv_usec * 1000};
    return select_until(count, reads, writes, exceptions, deadline_after(nanoseconds_of(&duration)), NULL);
}

INTERPOSED int pselect(
    int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict exceptions,
    const struct timespec *restrict limit, const sigset_t *restrict mask
) {
    if (!is_living() || !limit || nanoseconds_of(limit) == 0) {
        return NEXT(pselect)(count, reads, writes, exceptions, limit, mask);
    }
    return select_until(count, reads, writes, exceptions, deadline_after(nanoseconds_of(limit)), mask);
}

#endif
