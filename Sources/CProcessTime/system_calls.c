// System calls, and `syscall` itself, which libdispatch, Swift's runtime and BoringSSL use.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <stdarg.h>

long kernel_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
    int saved = errno;
    long result = NEXT(syscall)(number, a, b, c, d, e, f);
    if (result == -1) { result = -errno; }
    errno = saved;
    return result;
#endif
}

INTERPOSED long syscall(long number, ...) {
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index += 1) { arguments[index] = va_arg(list, long); }
    va_end(list);
    long result;
    if (!serve_call(number, arguments, &result)) {
        result = kernel_call(
            number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]
        );
    }
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

#endif
