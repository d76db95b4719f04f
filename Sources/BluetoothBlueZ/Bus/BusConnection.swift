// A connection to a message bus on an event loop. sd-bus keeps the protocol; here are its descriptor and its timer, the
// calls that wait for their replies, and the end of the connection.

import NIOCore

/// The user of a ``BusConnection``; all calls come on its event loop, never from inside a call to the connection.
protocol BusConnectionDelegate: AnyObject {
    /// A signal came, from anybody.
    func connection(_ connection: BusConnection, didReceiveSignal signal: BusMessage)
    /// Another program calls. The call may be answered later.
    func connection(_ connection: BusConnection, didReceive call: BusCall, _ message: BusMessage)
    /// The connection has ended; nothing follows.
    func connectionDidClose(_ connection: BusConnection)
}

/// A connection to a message bus.
final class BusConnection {
    let eventLoop: any EventLoop
    weak var delegate: (any BusConnectionDelegate)?
    private let library: BusLibrary
    private var bus: BusLibrary.Object
    private var watch: DescriptorWatch?
    private var pending: [UInt64: Pending] = [:]
    private var received: [BusMessage] = []
    private var isTurnScheduled = false
    private var timerNumber = 0

    private struct Pending {
        var completion: (Result<BusMessage, BusFailure>) -> Void
        var timeout: Scheduled<Void>
    }

    /// How long a call waits for its reply, unless it says otherwise.
    static let defaultTimeout = TimeAmount.seconds(25)

    /// Connects to the bus at an address, such as `unix:path=/run/dbus/system_bus_socket`.
    init(address: String, library: BusLibrary, on eventLoop: any EventLoop) throws(BlueZError) {
        self.eventLoop = eventLoop
        self.library = library
        var bus: BusLibrary.Object = nil
        guard library.new(&bus) >= 0 else { throw BlueZError(.absent, "there is no memory for a bus") }
        self.bus = bus
        let status = address.withCString { address -> CInt in
            let status = library.setAddress(bus, address)
            guard status >= 0 else { return status }
            _ = library.setBusClient(bus, 1)
            return library.start(bus)
        }
        guard status >= 0 else {
            throw BlueZError(
                .absent,
                "the system's message bus cannot be reached (error \(-status)): start it with sudo systemctl start dbus"
            )
        }
        let handler: BusLibrary.Handler = { message, user, _ in
            guard let user else { return 0 }
            return Unmanaged<BusConnection>.fromOpaque(user).takeUnretainedValue().filter(message)
        }
        // The filter goes with the bus, which goes with this object.
        guard library.addFilter(bus, nil, handler, Unmanaged.passUnretained(self).toOpaque()) >= 0,
            let watch = DescriptorWatch(
                library.descriptor(bus),
                on: eventLoop,
                handler: { [weak self] in self?.turn() }
            )
        else { throw BlueZError(.absent, "the message bus cannot be watched: too many files are open") }
        self.watch = watch
        self.scheduleTurn()
    }

    deinit { self.release() }

    /// Whether the connection has not ended.
    var isOpen: Bool { self.bus != nil }

    // MARK: Sending

    /// Calls a method; the completion comes in a later turn.
    func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        timeout: TimeAmount = BusConnection.defaultTimeout,
        completion: @escaping (Result<BusMessage, BusFailure>) -> Void = { _ in }
    ) {
        var message: BusLibrary.Object = nil
        guard let bus = self.bus, self.library.newCall(bus, &message, destination, path, interface, member) >= 0 else {
            return self.later { completion(.failure(.closed)) }
        }
        defer { _ = self.library.releaseMessage(message) }
        guard self.library.append(arguments, to: message), let cookie = self.send(message) else {
            return self.later { completion(.failure(.closed)) }
        }
        let timeout = self.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] () -> Void in
            self?.finish(cookie, .failure(.timedOut))
        }
        self.pending[cookie] = Pending(completion: completion, timeout: timeout)
    }

    /// Emits a signal.
    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        var message: BusLibrary.Object = nil
        guard let bus = self.bus, self.library.newSignal(bus, &message, path, interface, member) >= 0 else { return }
        defer { _ = self.library.releaseMessage(message) }
        if self.library.append(arguments, to: message) { _ = self.send(message) }
    }

    /// Sends a message; returns its number.
    func send(_ message: BusLibrary.Object) -> UInt64? {
        self.eventLoop.assertInEventLoop()
        var cookie: UInt64 = 0
        guard let bus = self.bus, self.library.send(bus, message, &cookie) >= 0 else { return nil }
        self.scheduleTurn()
        return cookie
    }

    /// Ends the connection without a report; calls that wait fail.
    func close() {
        guard self.isOpen else { return }
        self.delegate = nil
        self.end()
    }

    // MARK: Turns

    private func later(_ body: @escaping () -> Void) { self.eventLoop.assumeIsolated().execute(body) }

    private func scheduleTurn() {
        guard !self.isTurnScheduled else { return }
        self.isTurnScheduled = true
        self.later { [weak self] in self?.turn() }
    }

    /// Takes what has come, sends what waits, and arms descriptor and timer.
    private func turn() {
        self.isTurnScheduled = false
        var isBroken = false
        var rounds = 0
        while let bus = self.bus {
            let status = self.library.process(bus, nil)
            isBroken = status < 0
            self.deliver()
            rounds += 1
            guard status > 0 else { break }
            // Others on the event loop get their turn.
            guard rounds < Self.roundsPerTurn else { return self.scheduleTurn() }
        }
        guard let bus = self.bus else { return }
        guard !isBroken else { return self.broke() }
        self.arm(bus)
    }

    private static let roundsPerTurn = 256

    private func arm(_ bus: BusLibrary.Object) {
        let events = self.library.events(bus)
        guard events >= 0 else { return self.broke() }
        self.watch?.arm(DescriptorWatch.Events(rawValue: Int16(truncatingIfNeeded: events)))
        var deadline = UInt64.max
        guard self.library.timeout(bus, &deadline) >= 0, deadline != .max else { return }
        self.timerNumber += 1
        let number = self.timerNumber
        // sd-bus and SwiftNIO both count from the start of the machine.
        let due = NIODeadline.uptimeNanoseconds(deadline.multipliedReportingOverflow(by: 1_000).partialValue)
        self.eventLoop.assumeIsolated().scheduleTask(deadline: due) { [weak self] in
            guard let self, self.timerNumber == number else { return }
            self.turn()
        }
    }

    /// Takes a message that sd-bus has not handled; returns 1 if it is handled.
    private func filter(_ message: BusLibrary.Object) -> CInt {
        guard let message = self.library.parse(message, on: self) else { return 0 }
        // Whether this process is there is answered by sd-bus.
        if case .call = message.kind, message.interface == "org.freedesktop.DBus.Peer" { return 0 }
        self.received.append(message)
        return 1
    }

    private func deliver() {
        let messages = self.received
        self.received.removeAll(keepingCapacity: true)
        for message in messages {
            switch message.kind {
            case .signal: self.delegate?.connection(self, didReceiveSignal: message)
            case .call(let call): self.delegate?.connection(self, didReceive: call, message)
            case .reply(let cookie): self.finish(cookie, .success(message))
            case .failure(let cookie, let failure): self.finish(cookie, .failure(failure))
            }
        }
    }

    private func finish(_ cookie: UInt64, _ result: Result<BusMessage, BusFailure>) {
        guard let pending = self.pending.removeValue(forKey: cookie) else { return }
        pending.timeout.cancel()
        pending.completion(result)
    }

    private func broke() {
        let delegate = self.delegate
        self.delegate = nil
        self.end()
        delegate?.connectionDidClose(self)
    }

    private func end() {
        self.release()
        for cookie in self.pending.keys.sorted() { self.finish(cookie, .failure(.closed)) }
    }

    private func release() {
        guard let bus = self.bus else { return }
        self.bus = nil
        self.watch?.cancel()
        self.library.close(bus)
        _ = self.library.release(bus)
    }
}
