#include "CMemory.h"
#include <malloc.h>

size_t allocated_octets(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
