// A target needs a source; what the header declares comes with the toolchain.
#include "libfuzzer.h"
