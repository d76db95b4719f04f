// The numbers of the system calls by which a thread that waits is recognized, as the tables of the kernel have them
// (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).

import Testing

@testable import CoreBluetoothTesting

@Suite("The numbers of system calls")
struct SystemCallTests {
    @Test("nanosleep, clock_nanosleep and futex have the numbers of the processor's table")
    func numbers() {
        #if arch(x86_64)
        #expect(ThreadActivity.SystemCall.sleeps == [35, 230] && ThreadActivity.SystemCall.futex == 202)
        #elseif arch(arm64)
        #expect(ThreadActivity.SystemCall.sleeps == [101, 115] && ThreadActivity.SystemCall.futex == 98)
        #endif
    }
}
