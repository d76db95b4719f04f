// The kernel's information on a thread.

import Testing

@testable import CoreBluetoothTesting

@Suite("ThreadActivity")
struct ThreadActivityTests {
    @Test("reads the state and the run count of a thread")
    func threads() {
        func activity(_ status: String, _ schedule: String? = nil, _ call: String? = nil) -> ThreadActivity? {
            ThreadActivity(status: status, schedule: schedule, call: call)
        }
        #expect(activity("17 no brackets S 1") == nil)
        #expect(
            activity("17 (a) R (b)) S 1 17")
                == ThreadActivity(isAsleep: true, hasTimeLimit: false, isInLock: false, runCount: 0)
        )
        #expect(activity("17 (a) R 1 17")?.isAsleep == false)
        #expect(activity("17 (a) S 1", "81234 99 7\n")?.runCount == 7)
        #expect(activity("17 (a) S 1", "81234 99")?.runCount == 0)
        #expect(ThreadActivity(ofThread: .max) == nil)
    }

    @Test("knows sleeps for a time and waits for a lock by their system calls")
    func calls() {
        func activity(_ call: String) -> ThreadActivity? {
            ThreadActivity(status: "17 (a) S 1", schedule: nil, call: call)
        }
        let futex = ThreadActivity.SystemCall.futex
        for sleep in ThreadActivity.SystemCall.sleeps {
            #expect(activity("\(sleep) 0x0 0x0")?.hasTimeLimit == true)
            #expect(activity("\(sleep + 1) 0x0 0x0")?.hasTimeLimit == false)
        }
        // FUTEX_WAIT, FUTEX_LOCK_PI and FUTEX_LOCK_PI2, each without and with its flags.
        for operation in [0, 6, 13] {
            for flags in [0, 0x80, 0x180] {
                let text = String(operation | flags, radix: 16)
                #expect(activity("\(futex) 0x7f00 0x\(text) 0x2")?.isInLock == true, "\(text)")
                #expect(activity("\(futex + 1) 0x7f00 0x\(text) 0x2")?.isInLock == false)
            }
        }
        // FUTEX_WAKE and FUTEX_WAIT_BITSET.
        for operation in ["0x1", "0x81", "0x9", "0x89", "0x189", "none"] {
            #expect(activity("\(futex) 0x7f00 \(operation) 0x2")?.isInLock == false, "\(operation)")
        }
        #expect(activity("\(futex) 0x7f00")?.isInLock == false)
        #expect(activity("running")?.hasTimeLimit == false)
    }
}
