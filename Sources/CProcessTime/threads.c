// Describes the awake threads, or all threads, to show why a process does not come to rest or does not continue.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include "CDispatchWork.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Reads a small file of a thread as text, without the line break.
static void read_file(int identifier, const char *name, char *text, size_t capacity) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", identifier, name);
    long descriptor = kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    text[0] = 0;
    if (descriptor < 0) { return; }
    long count = kernel_call(SYS_read, descriptor, (long)text, (long)capacity - 1, 0, 0, 0);
    kernel_call(SYS_close, descriptor, 0, 0, 0, 0, 0);
    text[count > 0 ? count : 0] = 0;
    text[strcspn(text, "\n")] = 0;
}

/// The letter of a thread's state; 0 if it has ended.
static char state_of(int identifier) {
    char text[128];
    read_file(identifier, "stat", text, sizeof text);
    // The name before it is in brackets and may contain brackets.
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 0;
}

static void add(char *text, size_t capacity, size_t *used, const char *addition) {
    size_t length = strlen(addition);
    if (*used + length >= capacity) { return; }
    memcpy(text + *used, addition, length + 1);
    *used += length;
}

static void describe(int identifier, char state, char *text, size_t capacity, size_t *used) {
    char name[32], channel[64], call[128], line[512], functions[8192];
    read_file(identifier, "comm", name, sizeof name);
    read_file(identifier, "wchan", channel, sizeof channel);
    read_file(identifier, "syscall", call, sizeof call);
    bool is_in_kernel = channel[0] && strcmp(channel, "0") != 0;
    snprintf(
        line, sizeof line, "thread %d \"%s\", state %c, in %s (%s)\n", identifier, name, state,
        is_in_kernel ? channel : "user code", call
    );
    dispatch_work_describe_thread(identifier, functions, sizeof functions);
    add(text, capacity, used, line);
    add(text, capacity, used, functions);
}

size_t process_time_describe_threads(bool all, char *text, size_t capacity) {
    size_t count = 0, used = 0;
    int own = (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    if (capacity) { text[0] = 0; }
    DIR *folder = opendir("/proc/self/task");
    if (!folder) { return 0; }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        int identifier = atoi(entry->d_name);
        char state = identifier > 0 && identifier != own ? state_of(identifier) : 0;
        bool is_asleep = state == 'S' || state == 'Z' || state == 'X';
        if (state == 0 || (is_asleep && !all)) { continue; }
        count += 1;
        describe(identifier, state, text, capacity, &used);
    }
    closedir(folder);
    if (count == 0 && atomic_load(&process_time_real_waits) > 0) {
        add(text, capacity, &used, "a thread waits inside of libdispatch for another one to go on\n");
    }
    return count;
}

#endif
