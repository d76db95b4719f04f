// The clocks of the process under control of a world: the Swift side of `CProcessTime`, and checks before it starts.

import CProcessTime
import CoreBluetoothTesting

/// The clocks of this process, controlled until ``end()``.
package final class HeldClock: ProcessClock {
    /// Whether this object controls the clocks; not if `init` has failed, after which `deinit` runs as well.
    private var isHeld = false
    #if os(Linux)
    /// Advances the world while the test waits.
    private var testSteps: Steps?
    #endif

    /// Takes control of the clocks.
    ///
    /// - Throws: ``ProcessTimeError`` if they cannot be controlled, another world controls them, or the test does not
    ///   run alone.
    package init(seed: UInt64) throws {
        #if os(Linux)
        try Self.checkLibraries()
        try Self.checkRunner()
        guard process_time_rest(Self.restBeforeBeginning) else {
            throw ProcessTimeError("other code runs in this process; \(Self.advice)\n\(Self.threads())")
        }
        guard process_time_begin(seed) else {
            throw ProcessTimeError("another world in process time lives; let it end before the next one begins")
        }
        self.isHeld = true
        #else
        throw ProcessTimeError("a world in process time exists on Linux only")
        #endif
    }

    deinit { self.end() }

    package var nextDeadline: UInt64? {
        #if os(Linux)
        let deadline = process_time_next_deadline()
        return deadline == UInt64.max ? nil : deadline
        #else
        return nil
        #endif
    }

    package func advance(to nanoseconds: UInt64) {
        #if os(Linux)
        process_time_is_called()
        precondition(nanoseconds < Self.longest, "A world in process time lasts at most 30 days")
        process_time_advance(nanoseconds)
        #endif
    }

    package func rest(within limit: Duration) throws {
        #if os(Linux)
        process_time_is_called()
        guard process_time_rest(limit.wholeNanoseconds) else {
            throw ProcessTimeError("after \(limit) of real time the process is not at rest:\n\(Self.threads())")
        }
        #endif
    }

    package func setRandomStream(_ identifier: UInt64) -> UInt64 {
        #if os(Linux)
        process_time_set_random_stream(identifier)
        #else
        0
        #endif
    }

    package func setPlace(_ place: UInt64) -> UInt64 {
        #if os(Linux)
        process_time_set_place(place)
        #else
        0
        #endif
    }

    package func serve(_ work: () -> Void, step: @escaping () -> Bool) {
        #if os(Linux)
        let steps = Steps(step)
        process_time_serve(
            Self.next,
            Unmanaged.passUnretained(steps).toOpaque(),
            WorldLimits.rest.wholeNanoseconds
        )
        withExtendedLifetime(steps) { work() }
        process_time_serve(nil, nil, 0)
        #else
        work()
        #endif
    }

    package func serveTest(step: @escaping () -> Bool) {
        #if os(Linux)
        let steps = Steps(step)
        self.testSteps = steps
        process_time_serve_test(
            Self.next,
            Unmanaged.passUnretained(steps).toOpaque(),
            WorldLimits.rest.wholeNanoseconds
        )
        #endif
    }

    package func testSleeps() {
        #if os(Linux)
        process_time_test_sleeps()
        #endif
    }

    package func testWakes() {
        #if os(Linux)
        process_time_is_called()
        #endif
    }

    package func end() {
        guard self.isHeld else { return }
        self.isHeld = false
        #if os(Linux)
        process_time_is_called()
        process_time_serve_test(nil, nil, 0)
        process_time_end()
        #endif
    }

    // MARK: Checks

    /// Whether tests in this process run one after the other.
    static var mayRunAlone: Bool {
        #if os(Linux)
        self.isAlone
        #else
        true
        #endif
    }

    private static let longest: UInt64 = 30 * 86400 * 1_000_000_000
    /// The time limit for the process to come to rest before the world starts, in nanoseconds of real time.
    private static let restBeforeBeginning: UInt64 = 2_000_000_000
    private static let advice =
        "use withProcessTime { world in … }, an exit test (#expect(processExitsWith: .success)), or swift test --no-parallel"

    #if os(Linux)
    private static func checkLibraries() throws {
        switch process_time_obstacle() {
        case PROCESS_TIME_NO_OBSTACLE:
            return
        case PROCESS_TIME_OTHER_C_LIBRARY:
            throw ProcessTimeError("a world in process time needs glibc as its C library")
        case PROCESS_TIME_SANITIZER:
            throw ProcessTimeError("a world in process time cannot be had with a sanitizer; build the tests without it")
        default:
            throw ProcessTimeError(
                "a world in process time needs the C library and libdispatch as shared libraries; build the tests "
                    + "without -static-stdlib"
            )
        }
    }

    /// The arguments of a test runner say whether it runs tests in parallel; the process of an exit test runs only one.
    private static func checkRunner() throws {
        guard self.isAlone else {
            throw ProcessTimeError("other tests may run beside a world in process time; \(self.advice)")
        }
    }

    private static var isAlone: Bool {
        guard !process_time_is_exit_test() else { return true }
        let arguments = CommandLine.arguments
        let isSwiftTesting = zip(arguments, arguments.dropFirst()).contains {
            $0 == "--testing-library" && $1 == "swift-testing"
        }
        return !isSwiftTesting || arguments.contains("--no-parallel")
    }

    private static let next: process_time_step = { context, wait in
        guard let context else { return false }
        return Unmanaged<Steps>.fromOpaque(context).takeUnretainedValue().next(wait)
    }

    /// Advances the world while its own thread waits.
    private final class Steps {
        let step: () -> Bool
        /// When a wait without a limit began, in the world's time.
        private var begin: UInt64?

        init(_ step: @escaping () -> Bool) { self.step = step }

        func next(_ wait: process_time_wait) -> Bool {
            switch wait {
            case PROCESS_TIME_IS_AWAKE:
                fatalError("the thread of the test waits, and the process does not come to rest:\n\(threads())")
            case PROCESS_TIME_IS_IDLE:
                fatalError(
                    """
                    for \(WorldLimits.rest) of real time nobody has let the world's time pass, and every thread waits; \
                    what the test awaits may need time: use world.wait { … } or world.advance(by:)
                    \(threads(all: true))
                    """
                )
            default: break
            }
            let now = process_time_now()
            let begin = wait == PROCESS_TIME_HAS_NO_LIMIT ? self.begin ?? now : now
            self.begin = wait == PROCESS_TIME_HAS_NO_LIMIT ? begin : nil
            guard now - begin < WorldLimits.wait.wholeNanoseconds else {
                fatalError(
                    """
                    the thread of the test has waited without a limit for \(WorldLimits.wait) of the world's time:
                    \(threads(all: true))
                    """
                )
            }
            guard self.step() else {
                fatalError(
                    "the thread of the test waits, and nothing is left that could end it:\n\(threads(all: true))"
                )
            }
            return true
        }
    }

    /// A line for each thread that is awake, or for all threads except the present one, with its innermost functions.
    private static func threads(all: Bool = false) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 131_072) { text in
            guard let start = text.baseAddress else { return "" }
            _ = process_time_describe_threads(all, start, text.count)
            return String(cString: start)
        }
    }
    #endif
}

extension Duration {
    /// Its nanoseconds, clamped to the range of the type.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole.addingReportingOverflow(UInt64(max(attoseconds, 0)) / 1_000_000_000).partialValue
    }
}
