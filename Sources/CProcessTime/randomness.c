// Random numbers of the process. While a world exists, every source of the C library, the random devices and BoringSSL
// derive them from the world's seed.
//
// Concurrent threads draw in an order that no seed determines. So there are independent streams, and a world gives each
// queue of each device its own.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

// MARK: The generator

/// Streams beyond this number share the existing ones.
#define STREAM_COUNT 4096

/// xoshiro256** by David Blackman and Sebastiano Vigna, seeded with SplitMix64; all zero before the first use.
struct stream {
    uint64_t identifier;
    uint64_t words[4];
};

static struct stream streams[STREAM_COUNT];
static uint64_t world_seed;
/// The stream from which this thread draws.
static __thread uint64_t own_stream;

static uint64_t rotated(uint64_t word, int count) { return (word << count) | (word >> (64 - count)); }

static uint64_t mixed(uint64_t word) {
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

/// The words of this thread's stream. The lock is held.
static uint64_t *own_words(void) {
    size_t place = mixed(own_stream) % STREAM_COUNT;
    for (size_t count = 0; count < STREAM_COUNT; count += 1, place = (place + 1) % STREAM_COUNT) {
        struct stream *stream = &streams[place];
        bool is_new = (stream->words[0] | stream->words[1] | stream->words[2] | stream->words[3]) == 0;
        if (!is_new && stream->identifier == own_stream) { return stream->words; }
        if (!is_new) { continue; }
        stream->identifier = own_stream;
        // The stream with the identifier zero depends only on the seed.
        uint64_t seed = world_seed ^ (own_stream ? mixed(own_stream) : 0);
        for (int index = 0; index < 4; index += 1) {
            seed += UINT64_C(0x9E3779B97F4A7C15);
            stream->words[index] = mixed(seed);
        }
        return stream->words;
    }
    return streams[place].words;
}

static uint64_t next_word(uint64_t *words) {
    uint64_t result = rotated(words[1] * 5, 7) * 9;
    uint64_t shifted = words[1] << 17;
    words[2] ^= words[0];
    words[3] ^= words[1];
    words[1] ^= words[2];
    words[0] ^= words[3];
    words[2] ^= shifted;
    words[3] = rotated(words[3], 45);
    return result;
}

static void find_boringssl(void);

void seed_randomness(uint64_t seed) {
    find_boringssl();
    memset(streams, 0, sizeof streams);
    world_seed = seed;
    srandom((unsigned)next_word(own_words()));
}

uint64_t process_time_set_random_stream(uint64_t identifier) {
    uint64_t previous = own_stream;
    own_stream = identifier;
    return previous;
}

void fill_random(void *octets, size_t count) {
    lock_world();
    uint64_t *words = own_words();
    for (size_t done = 0; done < count; done += sizeof(uint64_t)) {
        uint64_t word = next_word(words);
        memcpy((char *)octets + done, &word, count - done < sizeof word ? count - done : sizeof word);
    }
    unlock_world();
}

// MARK: Functions

INTERPOSED ssize_t getrandom(void *octets, size_t count, unsigned flags) {
    if (!is_living()) { return NEXT(getrandom)(octets, count, flags); }
    fill_random(octets, count);
    return (ssize_t)count;
}

INTERPOSED int getentropy(void *octets, size_t count) {
    if (!is_living() || count > 256) { return NEXT(getentropy)(octets, count); }
    fill_random(octets, count);
    return 0;
}

// Not in every version of glibc.
uint32_t arc4random(void);
void arc4random_buf(void *, size_t);
uint32_t arc4random_uniform(uint32_t);

INTERPOSED uint32_t arc4random(void) {
    uint32_t word;
    if (!is_living()) { return NEXT(arc4random)(); }
    fill_random(&word, sizeof word);
    return word;
}

INTERPOSED void arc4random_buf(void *octets, size_t count) {
    if (!is_living()) {
        NEXT(arc4random_buf)(octets, count);
    } else {
        fill_random(octets, count);
    }
}

INTERPOSED uint32_t arc4random_uniform(uint32_t bound) {
    if (!is_living()) { return NEXT(arc4random_uniform)(bound); }
    if (bound < 2) { return 0; }
    // Draw again if the number is in the incomplete range beyond the last multiple of the bound.
    uint32_t least = -bound % bound;
    for (;;) {
        uint32_t word;
        fill_random(&word, sizeof word);
        if (word >= least) { return word % bound; }
    }
}

// MARK: Devices

/// Whether a random device was ever opened by name.
static atomic_bool has_device;

static bool is_random_path(const char *path) {
    return path && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

static const char *note_opening(const char *path) {
    if (is_random_path(path)) { atomic_store(&has_device, true); }
    return path_for_monitor(path);
}

static bool is_random_device(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode) && major(status.st_rdev) == 1 &&
           (minor(status.st_rdev) == 8 || minor(status.st_rdev) == 9);
}

/// The mode of a file that an open call may create.
#define MODE(flags, last)                                                                                              \
    ({                                                                                                                 \
        mode_t mode = 0;                                                                                               \
        if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                         \
            va_list list;                                                                                              \
            va_start(list, last);                                                                                      \
            mode = va_arg(list, mode_t);                                                                               \
            va_end(list);                                                                                              \
        }                                                                                                              \
        mode;                                                                                                          \
    })

INTERPOSED int open(const char *path, int flags, ...) {
    path = note_opening(path);
    return NEXT(open)(path, flags, MODE(flags, flags));
}

INTERPOSED int open64(const char *path, int flags, ...) {
    path = note_opening(path);
    return NEXT(open64)(path, flags, MODE(flags, flags));
}

INTERPOSED int openat(int folder, const char *path, int flags, ...) {
    path = note_opening(path);
    return NEXT(openat)(folder, path, flags, MODE(flags, flags));
}

INTERPOSED int openat64(int folder, const char *path, int flags, ...) {
    path = note_opening(path);
    return NEXT(openat64)(folder, path, flags, MODE(flags, flags));
}

INTERPOSED ssize_t read(int descriptor, void *octets, size_t count) {
    if (is_living() && atomic_load_explicit(&has_device, memory_order_relaxed) && is_random_device(descriptor)) {
        fill_random(octets, count);
        return (ssize_t)count;
    }
    return NEXT(read)(descriptor, octets, count);
}

static ssize_t read_random_stream(void *unused, char *octets, size_t count) {
    if (!is_living()) { return NEXT(getrandom)(octets, count, 0); }
    fill_random(octets, count);
    return (ssize_t)count;
}

static FILE *open_random_stream(const char *path, const char *mode) {
    path = note_opening(path);
    if (!is_living() || !is_random_path(path)) { return NULL; }
    return fopencookie(NULL, mode, (cookie_io_functions_t){.read = read_random_stream});
}

INTERPOSED FILE *fopen(const char *restrict path, const char *restrict mode) {
    FILE *stream = open_random_stream(path, mode);
    return stream ? stream : NEXT(fopen)(path, mode);
}

INTERPOSED FILE *fopen64(const char *restrict path, const char *restrict mode) {
    FILE *stream = open_random_stream(path, mode);
    return stream ? stream : NEXT(fopen64)(path, mode);
}

// MARK: BoringSSL

// BoringSSL has a generator for each thread, which it seeds once. The thread that does a piece of work differs between
// runs, so in a world each call gets a new generator, seeded by the world. The generator is in a slot of a
// thread-specific table; a call reveals its key and slot.

/// A package's copy of BoringSSL.
struct boringssl {
    int (*random)(uint8_t *, size_t);
    void (*free)(void *);
    atomic_bool is_known;
    pthread_key_t key;
    int slot;
};

#define SLOTS 3

int CCryptoBoringSSL_RAND_bytes(uint8_t *, size_t) __attribute__((weak));
void CCryptoBoringSSL_OPENSSL_free(void *) __attribute__((weak));
int CNIOBoringSSL_RAND_bytes(uint8_t *, size_t) __attribute__((weak));
void CNIOBoringSSL_OPENSSL_free(void *) __attribute__((weak));

static struct boringssl copies[2];
static __thread bool records_key;
static __thread pthread_key_t recorded_key;

static void find_copy(struct boringssl *copy) {
    uint8_t octet;
    if (!copy->random || atomic_load(&copy->is_known)) { return; }
    records_key = true;
    recorded_key = (pthread_key_t)-1;
    copy->random(&octet, 1);
    records_key = false;
    void **table = recorded_key == (pthread_key_t)-1 ? NULL : pthread_getspecific(recorded_key);
    for (int slot = 0; table && slot < SLOTS; slot += 1) {
        void *state = table[slot];
        if (!state) { continue; }
        table[slot] = NULL;
        copy->random(&octet, 1);
        if (table[slot]) {
            copy->free(state);
            copy->key = recorded_key;
            copy->slot = slot;
            atomic_store(&copy->is_known, true);
            return;
        }
        table[slot] = state;
    }
}

static void find_boringssl(void) {
    copies[0].random = CCryptoBoringSSL_RAND_bytes;
    copies[0].free = CCryptoBoringSSL_OPENSSL_free;
    copies[1].random = CNIOBoringSSL_RAND_bytes;
    copies[1].free = CNIOBoringSSL_OPENSSL_free;
    for (int index = 0; index < 2; index += 1) { find_copy(&copies[index]); }
}

INTERPOSED void *pthread_getspecific(pthread_key_t key) {
    void *value = NEXT(pthread_getspecific)(key);
    if (records_key && recorded_key == (pthread_key_t)-1) { recorded_key = key; }
    if (!value || !is_living()) { return value; }
    for (int index = 0; index < 2; index += 1) {
        struct boringssl *copy = &copies[index];
        if (!atomic_load_explicit(&copy->is_known, memory_order_acquire) || copy->key != key) { continue; }
        // The state is freed when the next one is requested, when it is no longer in use.
        static __thread void *last[2];
        void **table = value;
        void *state = table[copy->slot];
        if (state) {
            table[copy->slot] = NULL;
            if (last[index]) { copy->free(last[index]); }
            last[index] = state;
        }
    }
    return value;
}

// MARK: The start of the process

static bool was_exit_test;

bool process_time_is_exit_test(void) { return was_exit_test; }

/// The hashing parameters of Swift's runtime: the seeds, and whether sets and dictionaries have no seeds of their own.
struct hashing_parameters {
    uint64_t seeds[2];
    bool is_deterministic;
};

extern struct hashing_parameters _swift_stdlib_Hashing_parameters __attribute__((weak));

/// Runs before BoringSSL checks the processor. Child processes, such as those of exit tests, inherit the environment.
__attribute__((constructor(101))) static void prepare_process(void) {
    was_exit_test = getenv("SWT_EXIT_TEST_ID") != NULL;
    // Disables the instruction RDRAND, bit 30 of the second word: it cannot be seeded.
    setenv("OPENSSL_ia32cap", "~0x4000000000000000", 0);
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 0);
    // Swift's runtime has already read the environment of this process, and nothing has been hashed since.
    if (&_swift_stdlib_Hashing_parameters) {
        _swift_stdlib_Hashing_parameters = (struct hashing_parameters){.is_deterministic = true};
    }
}

#endif
