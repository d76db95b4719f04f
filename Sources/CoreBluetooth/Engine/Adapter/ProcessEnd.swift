// The end of the process by `exit` or by the return of `main`. A phone's system would end the links of the app; here
// the adapters shut down gracefully, since their controllers would otherwise go on advertising and keep links whose
// peers wait.

import Dispatch
import NIOConcurrencyHelpers
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The adapters of this process, for its end.
enum ProcessEnd {
    private struct Entry {
        weak var adapter: BluetoothAdapter?
    }

    private static let entries = NIOLockedValueBox<[Entry]>([])
    // A forked child has no threads of the event loops.
    private static let process = getpid()
    private static let exitHook: Void = {
        _ = ProcessEnd.process
        atexit { ProcessEnd.shutDownAll() }
    }()

    /// Adds an adapter, which is not retained.
    static func add(_ adapter: BluetoothAdapter) {
        _ = self.exitHook
        self.entries.withLockedValue { entries in
            entries.removeAll { $0.adapter == nil }
            entries.append(Entry(adapter: adapter))
        }
    }

    private static func shutDownAll() {
        guard self.process == getpid() else { return }
        let adapters = self.entries.withLockedValue { $0.compactMap(\.adapter) }
        let group = DispatchGroup()
        // A caller of `exit` on an event loop cannot wait for what happens there.
        for adapter in adapters where !adapter.eventLoop.inEventLoop {
            group.enter()
            adapter.shutDown(within: AdapterCore.shutdownLimit) { group.leave() }
        }
        // The process waits no longer, not even for an event loop that is stuck.
        let limit = AdapterCore.shutdownLimit + .milliseconds(50)
        _ = group.wait(timeout: .now() + .nanoseconds(Int(limit.nanoseconds)))
    }
}
