// A Bluetooth adapter of this process, on which managers work. Its parts live on its event loop; this class only passes
// calls and events between them and the managers' queues.

public import BluetoothAir
package import BluetoothHost
import BluetoothTransport
package import BluetoothTypes
import Dispatch
import Foundation
import NIOConcurrencyHelpers
package import NIOCore

/// A Bluetooth adapter, on which managers work.
///
/// Unmodified Core Bluetooth code needs none of this: its managers use the process's ``default`` adapter. A program
/// with several adapters makes one the default for a closure with ``run(_:)``, or names it in a manager's options:
///
/// ```swift
/// let central = CBCentralManager(delegate: me, queue: nil, options: [BluetoothAdapter.optionKey: adapter])
/// ```
public final class BluetoothAdapter: Sendable {
    /// Where the managers of an adapter call their delegates.
    public enum Callbacks: Sendable {
        /// On the dispatch queue that each manager was given, as on Apple's platforms.
        case onQueues
        /// In turns of the adapter's event loop, whatever the manager's queue: for virtual time.
        case onEventLoop
    }

    /// The key under which a manager's options hold the ``BluetoothAdapter`` to use.
    public static let optionKey = "OpenCoreBluetoothAdapter"

    let eventLoop: any EventLoop
    let configuration: Configuration
    let identities: IdentityStore
    let connectedPeers = ConnectedPeers()
    /// Whether the controller supports extended advertising; for a real one this is known once it has started.
    let hasExtendedAdvertising = NIOLockedValueBox(true)
    private let callbacks: Callbacks
    private let callbackDelay: TimeAmount
    /// Calls delegates on their queues in virtual time; `nil` if the event loop itself calls them, or in real time.
    package let callbackScheduler: (any CallbackScheduler)?
    /// The time until which no delegate is called, in virtual time, as if the queues of all apps were blocked.
    private let callbacksHeldUntil = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(0))
    private let core: NIOLoopBoundBox<AdapterCore?>
    /// Objects that must outlive the adapter: its event loop's thread, its air.
    private let retained: (any Sendable)?

    /// Creates the adapter with a name, such as `air`, `air:PATH`, `air:tcp:HOST:PORT`, `h4:unix:PATH` or
    /// `h4:tcp:HOST:PORT`.
    ///
    /// - Throws: ``BluetoothAdapterError`` if the name is not one.
    public convenience init(_ name: String, configuration: Configuration = .environment) throws {
        let name = try Self.parse(name)
        self.init(configuration) { AdapterComponents(name, configuration, on: $0) }
        switch name {
        case .userAir, .air, .bluez: break
        case .h4, .serial, .linux: self.hasExtendedAdvertising.withLockedValue { $0 = false }
        }
    }

    /// An adapter on an air of this process, to be called on the air's event loop.
    ///
    /// By default all calls and callbacks of the adapter's managers run in the loop's turns: on an embedded event loop,
    /// many devices live in virtual time, and the same program gives the same run. Use such managers only on the loop's
    /// thread.
    public convenience init(
        air: Air,
        configuration: Configuration = Configuration(),
        callbacks: Callbacks = .onEventLoop
    ) {
        self.init(air: air, configuration: configuration, callbacks: callbacks, storage: MemoryStorage())
    }

    /// An adapter on an air of this process, with a given storage for its state.
    ///
    /// The next adapter with the same storage is the same device after its process has ended.
    package convenience init(
        air: Air,
        configuration: Configuration = Configuration(),
        callbacks: Callbacks = .onEventLoop,
        storage: any StateStorage
    ) {
        let air = NIOLoopBound(air, eventLoop: air.eventLoop)
        let address = configuration.addressOnAir
        self.init(
            eventLoop: air.eventLoop,
            configuration: configuration,
            callbacks: callbacks,
            identities: IdentityStore(randomness: .seeded(address.value)),
            storageChoice: .storage(storage),
            retained: nil
        ) { AdapterComponents(air: air.value, configuration, address: address) }
    }

    /// An adapter in virtual time whose controllers come from `source`, for worlds.
    ///
    /// - Parameter hasExtendedAdvertising: Whether the controllers claim extended advertising.
    package convenience init(
        eventLoop: any EventLoop,
        configuration: Configuration,
        source: any ChannelSource,
        storage: any StateStorage,
        hasExtendedAdvertising: Bool = true,
        callbackScheduler: (any CallbackScheduler)? = nil
    ) {
        let source = NIOLoopBound(source, eventLoop: eventLoop)
        let address = configuration.addressOnAir
        self.init(
            eventLoop: eventLoop,
            configuration: configuration,
            callbacks: .onEventLoop,
            identities: IdentityStore(randomness: .seeded(address.value)),
            storageChoice: .storage(storage),
            callbackScheduler: callbackScheduler,
            retained: nil
        ) {
            AdapterComponents(
                source: source.value,
                configuration: configuration.hostConfiguration(address: address),
                pairingAgent: configuration.pairingAgent
            )
        }
        self.hasExtendedAdvertising.withLockedValue { $0 = hasExtendedAdvertising }
    }

    /// An adapter on a thread of its own, which stores its state.
    convenience init(
        _ configuration: Configuration,
        components: @escaping @Sendable (any EventLoop) -> AdapterComponents
    ) {
        let thread = EventLoopThread()
        let eventLoop = thread.eventLoop
        self.init(
            eventLoop: eventLoop,
            configuration: configuration,
            callbacks: .onQueues,
            identities: IdentityStore(),
            storageChoice: .folder,
            retained: thread
        ) { components(eventLoop) }
    }

    /// An adapter whose components are created on the event loop.
    init(
        eventLoop: any EventLoop,
        configuration: Configuration,
        callbacks: Callbacks,
        identities: IdentityStore,
        storageChoice: StorageChoice = .storage(MemoryStorage()),
        callbackScheduler: (any CallbackScheduler)? = nil,
        retained: (any Sendable)?,
        components: @escaping @Sendable () -> AdapterComponents
    ) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.callbacks = callbacks
        self.callbackDelay = TimeAmount(configuration.callbackDelay)
        self.callbackScheduler = callbackScheduler
        self.identities = identities
        self.retained = retained
        let core = NIOLoopBoundBox<AdapterCore?>.makeEmptyBox(valueType: AdapterCore.self, eventLoop: eventLoop)
        self.core = core
        let connectedPeers = self.connectedPeers
        let hasExtendedAdvertising = self.hasExtendedAdvertising
        eventLoop.execute {
            core.value = AdapterCore(
                eventLoop: eventLoop,
                components: components(),
                identities: identities,
                connectedPeers: connectedPeers,
                hasExtendedAdvertising: hasExtendedAdvertising,
                storageChoice: storageChoice,
                usesLoopTime: callbacks == .onEventLoop,
                callbackScheduler: callbackScheduler
            )
        }
        // In virtual time the end of the process does not matter.
        if callbacks == .onQueues { ProcessEnd.add(self) }
    }

    /// Reads an adapter's name.
    static func parse(_ name: String) throws(BluetoothAdapterError) -> AdapterName {
        do throws(TransportError) {
            return try AdapterName(parsing: name)
        } catch {
            throw BluetoothAdapterError(error.message)
        }
    }

    deinit {
        let core = self.core
        let retained = self.retained
        self.eventLoop.execute {
            core.value?.shutDown(within: AdapterCore.shutdownLimit) { withExtendedLifetime(retained) {} }
            core.value = nil
        }
    }

    /// Whether delegates are called on dispatch queues.
    var usesQueues: Bool { self.callbacks == .onQueues }

    /// Calls no delegate for this time, as if the queues of all apps were blocked, except for calls that are already
    /// due.
    ///
    /// For tests in virtual time; otherwise a test blocks the queue.
    func holdCallbacks(for time: TimeAmount) {
        let end = self.eventLoop.now + time
        self.callbacksHeldUntil.withLockedValue { $0 = end }
    }

    /// Turns Bluetooth on or off, as a switch in the settings would.
    public func setPowered(_ isOn: Bool) {
        let core = self.core
        self.eventLoop.execute { core.value?.setPowered(isOn) }
    }

    /// Ends the adapter as `kill -9` of its process would: its storage stays as it is, nothing more is reported, and
    /// the radio is silent.
    ///
    /// The adapter's managers are invalid then.
    package func kill() {
        let core = self.core
        self.eventLoop.execute {
            core.value?.kill()
            core.value = nil
        }
    }

    /// Ends the adapter as an orderly end of its process does: links end with a reason, and advertising and scanning
    /// stop, within `limit`; its storage stays as it is.
    ///
    /// Nothing more is reported to the adapter's managers. `completion` is called on the event loop.
    package func shutDown(within limit: TimeAmount, completion: @escaping @Sendable () -> Void) {
        let core = self.core
        self.eventLoop.execute {
            guard let present = core.value else { return completion() }
            present.shutDown(within: limit) {
                core.value = nil
                completion()
            }
        }
    }

    /// Calls `body` in a turn of the event loop, or not at all once the loop has shut down.
    package func whenTurning(_ body: @escaping @Sendable () -> Void) { self.eventLoop.execute(body) }

    /// Adds a device to the known ones, as if it had been heard before.
    ///
    /// - Parameter identifier: The identifier for apps, unless the device already has one or it is another one's.
    /// - Returns: The device's identifier.
    @discardableResult
    package func remember(_ address: DeviceAddress, as identifier: UUID?, name: String?) -> UUID {
        let given = identifier.map { IdentityStore.Record(identifier: $0, address: address) }
        let record = given.map(self.identities.restore) ?? self.identities.record(for: address)
        if let name { self.identities.setName(name, of: address) }
        return record.identifier
    }

    // MARK: Security

    /// Reports on the event loop the security of the connection to a device; `nil` if there is none.
    package func security(of identifier: UUID, _ report: @escaping @Sendable (LinkSecurity?) -> Void) {
        let core = self.core
        self.eventLoop.execute { report(core.value?.security(of: identifier)) }
    }

    /// Encrypts the connection to a device with the bond's keys, or pairs, unless it already has the level.
    ///
    /// The outcome of a pairing is reported to the ``Configuration/pairingAgent``.
    ///
    /// - Parameter report: Called on the event loop, with whether there is a connection.
    package func secure(
        _ identifier: UUID,
        to level: SecurityLevel,
        _ report: @escaping @Sendable (Bool) -> Void
    ) {
        let core = self.core
        self.eventLoop.execute { report(core.value?.secure(identifier, to: level) ?? false) }
    }

    /// Runs `body` on the event loop; with `nil` if the adapter has ended.
    func withCore(_ body: @escaping @Sendable (AdapterCore?) -> Void) {
        let core = self.core
        self.eventLoop.execute { body(core.value) }
    }

    /// Passes this device's public or static address to `body`; `nil` if it has none yet, or uses private addresses.
    func withHostAddress(_ report: @escaping @Sendable (DeviceAddress?) -> Void) {
        let core = self.core
        let isHidden = self.configuration.privacy != nil
        self.eventLoop.execute { report(isHidden ? nil : core.value?.host.address) }
    }

    // MARK: Sessions

    /// A manager's side of the two mailboxes between it and its session.
    struct ManagerEndpoint<Command: Sendable> {
        /// The way to the event loop.
        let commands: Mailbox<Command>
        /// Wakes the manager's queue, even if there is no event.
        let wakeQueue: @Sendable () -> Void
        /// Starts the delivery of events, once the manager can receive them.
        let begin: () -> Void
    }

    /// The mailboxes between a manager and its session on the event loop.
    func openSession<Session: ManagerSession>(
        _ role: Session.Type,
        queue: DispatchQueue?,
        restoreIdentifier: String?,
        receive: @escaping @Sendable (inout [Session.Event]) -> Void
    ) -> ManagerEndpoint<Session.Command> {
        let core = self.core
        let eventLoop = self.eventLoop
        let application = CurrentApplication.policy.map { NIOLoopBound($0, eventLoop: eventLoop) }
        let commands = Mailbox<Session.Command> { commands in
            eventLoop.execute { core.value?.drain(Session.self, commands) }
        }
        let events = self.eventMailbox(queue, receive)
        return ManagerEndpoint(commands: commands, wakeQueue: events.call) {
            eventLoop.execute {
                guard let core = core.value else { return }
                core.add(
                    Session(
                        core: core,
                        application: application?.value,
                        restoreIdentifier: restoreIdentifier,
                        commands: commands,
                        events: events
                    )
                )
            }
        }
    }

    private func eventMailbox<Event: Sendable>(
        _ queue: DispatchQueue?,
        _ receive: @escaping @Sendable (inout [Event]) -> Void
    ) -> Mailbox<Event> {
        let queue = queue ?? .main
        let delay = self.callbackDelay
        switch self.callbacks {
        case .onQueues:
            guard delay > .zero else { return Mailbox { mailbox in queue.async { mailbox.drain(receive) } } }
            return Mailbox { mailbox in
                queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) {
                    mailbox.drain(receive)
                }
            }
        case .onEventLoop:
            let eventLoop = self.eventLoop
            let application = CurrentApplication.policy.map { NIOLoopBound($0, eventLoop: eventLoop) }
            let process = application?.value.process
            let heldUntil = self.callbacksHeldUntil
            // Many devices share the loop: managers that a delegate creates belong to the delegate's device and app.
            // Nothing is reported to an app that has ended.
            return Mailbox { [weak self] mailbox in
                let rest = heldUntil.withLockedValue { $0 } - eventLoop.now
                eventLoop.execute(after: max(delay, rest)) { [weak self] in
                    guard let self else { return }
                    let context = WorkContext(adapter: self, application: application)
                    let deliver: @Sendable () -> Void = {
                        context.run {
                            let isThere = application == nil || process != nil && application?.value.process == process
                            mailbox.drain { if isThere { receive(&$0) } }
                        }
                    }
                    guard let scheduler = self.callbackScheduler else { return deliver() }
                    scheduler.call(on: queue, in: context, deliver)
                }
            }
        }
    }
}

extension EventLoop {
    /// Executes a task after a delay, or in the next turn if there is none.
    fileprivate func execute(after delay: TimeAmount, _ task: @escaping @Sendable () -> Void) {
        if delay > .zero { self.scheduleTask(in: delay, task) } else { self.execute(task) }
    }
}

/// The reason why an adapter cannot be created.
public struct BluetoothAdapterError: Error, CustomStringConvertible, Sendable {
    /// One line with the cause and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
