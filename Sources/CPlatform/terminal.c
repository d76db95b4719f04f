#define _GNU_SOURCE
#include "terminal.h"
#include <locale.h>
#include <stddef.h>
#include <wchar.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

int terminal_columns(uint32_t scalar) {
    static _Thread_local locale_t unicode;
    if (unicode == NULL) {
        unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
        if (unicode == NULL) return 1;
    }
    locale_t previous = uselocale(unicode);
    int columns = wcwidth((wchar_t)scalar);
    uselocale(previous);
    return columns;
}
