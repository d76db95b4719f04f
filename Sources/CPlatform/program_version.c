// The octets of the version, in a section that Packaging/build finds by its name.

#include "program_version.h"

// The directive is C23's; compilers have it in earlier languages, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

#ifdef __APPLE__
#define VERSION_SECTION "__TEXT,ocb_version"
#else
#define VERSION_SECTION "opencorebluetooth_version"
#endif

// Volatile: what is read is what the program's file has, not what the compiler has seen.
__attribute__((section(VERSION_SECTION), used)) static const volatile char version[PROGRAM_VERSION_LENGTH] = {
#embed "../../VERSION"
};

const char *program_version(void) { return (const char *)version; }
