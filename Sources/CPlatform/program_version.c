// The octets of the version, in a section that Packaging/build finds by name.

#include "program_version.h"

// The directive is part of C23; compilers also support it in earlier versions.
#pragma clang diagnostic ignored "-Wc23-extensions"

#ifdef __APPLE__
#define VERSION_SECTION "__TEXT,ocb_version"
#else
#define VERSION_SECTION "opencorebluetooth_version"
#endif

// Volatile: read what the program's file contains, not what the compiler has seen.
__attribute__((section(VERSION_SECTION), used)) static const volatile char version[PROGRAM_VERSION_LENGTH] = {
#embed "../../VERSION"
};

const char *program_version(void) { return (const char *)version; }
