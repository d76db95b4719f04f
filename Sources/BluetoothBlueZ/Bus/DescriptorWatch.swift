// Tells an event loop that a descriptor can be read or written. SwiftNIO watches only descriptors that it reads itself;
// sd-bus reads its own. So libdispatch watches a duplicate, and no thread waits.

import Dispatch
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Watches a descriptor for an event loop.
///
/// Every report is asked for: the handler runs once for each event that was armed.
final class DescriptorWatch {
    /// The events of a descriptor.
    struct Events: OptionSet, Sendable {
        let rawValue: Int16
        static let reading = Events(rawValue: Int16(POLLIN))
        static let writing = Events(rawValue: Int16(POLLOUT))
    }

    /// A source, which is suspended unless it is armed. libdispatch's sources may be used on every thread.
    private final class Source: @unchecked Sendable {
        let events: Events
        private let source: any DispatchSourceProtocol

        init(_ events: Events, _ source: any DispatchSourceProtocol) {
            self.events = events
            self.source = source
        }

        func start(_ handler: @escaping @Sendable (Source) -> Void, closing descriptor: CInt) {
            self.source.setEventHandler {
                self.source.suspend()
                handler(self)
            }
            self.source.setCancelHandler { close(descriptor) }
        }

        func resume() { self.source.resume() }
        func cancel() { self.source.cancel() }
    }

    /// The state that the sources' handlers share.
    private final class Target {
        var handler: (() -> Void)?
        var armed: Events = []
        init(_ handler: @escaping () -> Void) { self.handler = handler }
    }

    private let sources: [Source]
    private let target: Target

    /// Watches duplicates of `descriptor`; nothing is reported until ``arm(_:)``. `nil` if there are no descriptors
    /// left.
    init?(_ descriptor: CInt, on eventLoop: any EventLoop, handler: @escaping () -> Void) {
        let copies = [0, 1].map { _ in fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        guard copies.allSatisfy({ $0 >= 0 }) else {
            for copy in copies where copy >= 0 { close(copy) }
            return nil
        }
        let queue = DispatchQueue(label: "bluetooth.bluez.descriptor")
        self.target = Target(handler)
        self.sources = [
            Source(.reading, DispatchSource.makeReadSource(fileDescriptor: copies[0], queue: queue)),
            Source(.writing, DispatchSource.makeWriteSource(fileDescriptor: copies[1], queue: queue)),
        ]
        let bound = NIOLoopBound(self.target, eventLoop: eventLoop)
        for (source, copy) in zip(self.sources, copies) {
            source.start(
                { source in
                    eventLoop.execute {
                        // A source that was cancelled meanwhile must not stay suspended.
                        guard let handler = bound.value.handler else { return source.resume() }
                        bound.value.armed.remove(source.events)
                        handler()
                    }
                },
                closing: copy
            )
        }
    }

    deinit { self.cancel() }

    /// Asks for one report of each of `events`.
    func arm(_ events: Events) {
        guard self.target.handler != nil else { return }
        for source in self.sources where events.contains(source.events) && !self.target.armed.contains(source.events) {
            self.target.armed.insert(source.events)
            source.resume()
        }
    }

    /// Ends the watch; the duplicates are closed.
    func cancel() {
        guard self.target.handler != nil else { return }
        self.target.handler = nil
        for source in self.sources {
            source.cancel()
            if !self.target.armed.contains(source.events) { source.resume() }
        }
    }
}
