// The functions on a thread's stack: a signal interrupts another thread, which notes them itself. Their names come from
// the file of the program or library.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#if __has_include(<execinfo.h>)

#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LARGEST_DEPTH 48
/// The maximum number of functions to write.
#define WRITTEN_DEPTH 16

// MARK: The signal

enum { FREE, ASKED, NOTES, NOTED };

/// The request to a thread; one at a time.
static struct {
    atomic_int state;
    atomic_int thread;
    int count;
    void *addresses[LARGEST_DEPTH];
} request;

static void note_functions(int signal) {
    (void)signal;
    int saved = errno;
    int asked = ASKED;
    if (atomic_load(&request.thread) == dispatch_work_thread() &&
        atomic_compare_exchange_strong(&request.state, &asked, NOTES)) {
        request.count = backtrace(request.addresses, LARGEST_DEPTH);
        atomic_store(&request.state, NOTED);
    }
    errno = saved;
}

/// Asks a thread for its functions; returns whether it has answered.
static bool ask(int identifier) {
    // Threads of libdispatch block most signals, but not this one. The handler stays: code that blocks the signal gets
    // it later.
    static bool is_handled;
    if (!is_handled) {
        // Let backtrace load its library here, not in the handler.
        backtrace(request.addresses, 1);
        struct sigaction action = {.sa_handler = note_functions, .sa_flags = SA_RESTART};
        is_handled = sigaction(SIGPROF, &action, NULL) == 0;
    }
    atomic_store(&request.thread, identifier);
    atomic_store(&request.state, ASKED);
    syscall(SYS_tgkill, getpid(), identifier, SIGPROF);
    for (int count = 0; count < 2000; count += 1) {
        if (atomic_load(&request.state) == NOTED) { return true; }
        struct timespec pause = {.tv_nsec = 100000};
        syscall(SYS_nanosleep, &pause, NULL);
    }
    int asked = ASKED;
    return !atomic_compare_exchange_strong(&request.state, &asked, FREE) && atomic_load(&request.state) == NOTED;
}

// MARK: Names

/// The name of the function at an address of a file in memory; `NULL` if the file has no symbol table.
static const char *name_in(const char *file, size_t size, uintptr_t address, uintptr_t base) {
    const ElfW(Ehdr) *header = (const void *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) { return NULL; }
    if (header->e_shoff > size || header->e_shnum > (size - header->e_shoff) / sizeof(ElfW(Shdr))) { return NULL; }
    const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
    uintptr_t place = header->e_type == ET_DYN ? address - base : address;
    for (int index = 0; index < header->e_shnum; index += 1) {
        const ElfW(Shdr) *section = &sections[index];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum) { continue; }
        const ElfW(Shdr) *names = &sections[section->sh_link];
        if (section->sh_offset > size || section->sh_size > size - section->sh_offset) { return NULL; }
        if (names->sh_offset > size || names->sh_size > size - names->sh_offset) { return NULL; }
        const ElfW(Sym) *symbols = (const void *)(file + section->sh_offset);
        for (size_t symbol = 0; symbol < section->sh_size / sizeof *symbols; symbol += 1) {
            bool has = (symbols[symbol].st_info & 15) == STT_FUNC && place >= symbols[symbol].st_value &&
                       place - symbols[symbol].st_value < symbols[symbol].st_size;
            if (has && symbols[symbol].st_name < names->sh_size) {
                return file + names->sh_offset + symbols[symbol].st_name;
            }
        }
    }
    return NULL;
}

/// Writes the demangled name.
static void write_name(const char *name, char *text, size_t capacity) {
    typedef char *(*demangle_t)(const char *, size_t, char *, size_t *, uint32_t);
    demangle_t demangle = (demangle_t)dlsym(RTLD_DEFAULT, "swift_demangle");
    char *readable = demangle ? demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    snprintf(text, capacity, "%s", readable ? readable : name);
    free(readable);
}

void dispatch_work_describe_function(void *address, char *text, int capacity) {
    Dl_info found, program;
    snprintf(text, capacity, "%p", address);
    if (!dladdr(address, &found)) { return; }
    bool is_program =
        dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == found.dli_fbase;
    const char *path = is_program ? "/proc/self/exe" : found.dli_fname;
    const char *file_name = strrchr(found.dli_fname, '/');
    snprintf(text, capacity, "%p in %s", address, file_name ? file_name + 1 : found.dli_fname);
    if (found.dli_sname) { write_name(found.dli_sname, text, capacity); }
    long descriptor = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) { return; }
    struct stat status;
    size_t size = fstat((int)descriptor, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
    void *file = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, (int)descriptor, 0) : MAP_FAILED;
    syscall(SYS_close, descriptor);
    if (file == MAP_FAILED) { return; }
    const char *name = name_in(file, size, (uintptr_t)address, (uintptr_t)found.dli_fbase);
    if (name) { write_name(name, text, capacity); }
    munmap(file, size);
}

void dispatch_work_describe_caller(char *text, int capacity) {
    void *addresses[48];
    int count = backtrace(addresses, 48);
    Dl_info program, found;
    bool has_left_program = false;
    text[0] = 0;
    if (!dladdr((void *)getauxval(AT_PHDR), &program)) { return; }
    for (int index = 0; index < count; index += 1) {
        bool is_program = dladdr(addresses[index], &found) && found.dli_fbase == program.dli_fbase;
        if (is_program && has_left_program) {
            // The address is a return address, which may belong to the next function.
            return dispatch_work_describe_function((char *)addresses[index] - 1, text, capacity);
        }
        has_left_program = has_left_program || !is_program;
    }
}

void dispatch_work_describe_thread(int32_t identifier, char *text, int capacity) {
    int used = 0;
    text[0] = 0;
    // The first two are the handler and its caller.
    if (!ask(identifier)) { return; }
    for (int index = 2; index < request.count && index < WRITTEN_DEPTH + 2; index += 1) {
        // All but the first are return addresses, which may belong to the next function.
        char *address = (char *)request.addresses[index] - (index > 2 ? 1 : 0);
        char function[400], line[420];
        dispatch_work_describe_function(address, function, sizeof function);
        int length = snprintf(line, sizeof line, "    %s\n", function);
        if (length < 0 || used + length >= capacity) { break; }
        memcpy(text + used, line, (size_t)length + 1);
        used += length;
    }
    atomic_store(&request.state, FREE);
}

#else

void dispatch_work_describe_function(void *address, char *text, int capacity) { text[0] = 0; }
void dispatch_work_describe_caller(char *text, int capacity) { text[0] = 0; }
void dispatch_work_describe_thread(int32_t identifier, char *text, int capacity) { text[0] = 0; }

#endif
#endif
