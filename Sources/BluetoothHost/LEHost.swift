// One adapter's Bluetooth LE host: the thin driver that moves packets between a controller and the protocol machines,
// owns their timers, and reports to one user through `LEHostDelegate`. It is confined to its event loop. Nothing here
// locks, and state that every packet touches is not checked for exclusive access (CONTRIBUTING.md, rule 2).
//
// The user's calls only feed the machines. Their actions are carried out in the next turn of the loop, which also sends
// everything that several calls have queued. Packets of the controller are handled as they arrive, and the turn ends
// with their batch.

public import BluetoothHCI
import BluetoothTypes
import Logging
public import NIOCore

/// A Bluetooth LE host on one controller.
///
/// Use every member on ``eventLoop`` only. Completions and delegate calls come on that loop, never from inside the call
/// that caused them.
public final class LEHost {
    /// The loop on which the host runs.
    public let eventLoop: any EventLoop
    /// The user of the host.
    @exclusivity(unchecked) public weak var delegate: (any LEHostDelegate)?
    /// How the host presents itself.
    public let configuration: LEHostConfiguration
    /// The state of the host and its controller.
    public var state: LEHostState { self.controller.state }

    let log = Logger(label: "bluetooth.host")
    let loop: HostLoop
    let controller: AttachedController
    let radio: HostRadio
    let traffic: ACLTraffic
    let openLinks: HostLinks
    let security: HostSecurity
    package let channels: HostChannels
    let shutdown: GracefulShutdown

    // GATT.
    @exclusivity(unchecked) var server: GATTServer
    /// The services that were added, by the handles of their declarations.
    package internal(set) var published: [AttributeHandle: PublishedService] = [:]
    /// Called when ``published`` has changed.
    package var onPublishedChange: (() -> Void)?
    @exclusivity(unchecked) var spareBearerActions: [ATTBearer.Action] = []

    /// Creates a host without a controller.
    public init(eventLoop: any EventLoop, configuration: LEHostConfiguration = LEHostConfiguration()) {
        let loop = HostLoop(eventLoop)
        let generator = HostGenerator(seed: configuration.pairingSeed)
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.loop = loop
        self.controller = AttachedController(loop, configuration, self.log)
        self.radio = HostRadio(self.controller, generator, loop, configuration, self.log)
        self.traffic = ACLTraffic(loop)
        self.openLinks = HostLinks(self.controller, self.radio, loop, self.log)
        self.security = HostSecurity(configuration.pairing, generator, loop)
        self.channels = HostChannels(loop)
        self.shutdown = GracefulShutdown(loop)
        self.server = GATTServer(configuration: Self.serverConfiguration(configuration))
        loop.entry.host = self
        self.controller.perform = { [unowned self] in self.perform($0) }
        self.radio.perform = { [unowned self] in self.perform($0) }
        self.radio.linkRoles = { [unowned openLinks = self.openLinks] in openLinks.roles }
        self.openLinks.host = self
        self.security.host = self
        self.channels.host = self
        self.security.updatePairing()
    }

    deinit { self.loop.entry.host = nil }

    /// Buffers whose values have left the process and which the user may reuse.
    package var sentBuffers: [ByteBuffer] {
        @inline(__always) get { self.traffic.sentBuffers }
        @inline(__always) _modify { yield &self.traffic.sentBuffers }
    }

    /// Traps in debug builds if the user calls from another thread.
    @inline(__always)
    func assertOnEventLoop() { self.eventLoop.assertInEventLoop() }

    // MARK: The controller

    /// Starts using a controller: resets it, reads its capabilities, and becomes `ready`.
    public func attach(to channel: any HCIChannel) {
        self.assertOnEventLoop()
        self.controller.attach(to: channel)
        self.radio.scanning.updateReportNeed()
    }

    /// Detaches from the controller immediately, in any state; links are not terminated.
    public func detach() {
        self.assertOnEventLoop()
        self.controller.detach()
    }

    /// Detaches from the controller gracefully: stops advertising, scanning and pending connections, and ends each link
    /// once its queue has been sent.
    ///
    /// A controller that does not answer, or a peer that does not accept data, delays this for at most `limit`. The
    /// user must not use the host until `completion` is called, once, in a later turn.
    public func detachGracefully(within limit: TimeAmount, completion: @escaping () -> Void) {
        self.assertOnEventLoop()
        guard self.controller.isReady, !self.shutdown.isUnderWay else {
            // A controller that is starting has just been reset.
            self.detach()
            return self.afterwards(completion)
        }
        let expired = { [unowned self] in
            self.log.warning("the host detached from the controller before everything had ended")
            self.detach()
        }
        self.shutdown.begin(within: limit, expired: expired, completion: completion)
        self.radio.stop()
    }

    private func perform(_ action: AttachedController.Action) {
        switch action {
        case .begin:
            self.traffic.begin(self.controller.information)
            self.radio.begin()
            self.security.updatePairing()
        case .end:
            for link in self.openLinks.all { self.openLinks.close(link, reason: .connectionTimeout) }
            self.traffic.reset()
            self.radio.reset()
            self.shutdown.finish()
        case .report(let state):
            self.afterwards { [unowned self] in self.delegate?.host(self, didChange: state) }
        }
    }

    private func perform(_ action: HostRadio.Action) {
        switch action {
        case .received(let report): self.delegate?.host(self, didReceiveAdvertisement: report)
        case .advertisingEnded(let error): self.delegate?.host(self, didStopAdvertisingBecauseOf: error)
        case .connectionFailed(let address, let status):
            self.delegate?.host(self, didFailToConnectTo: address, error: status)
        case .identityChanged: self.security.updatePairing()
        // A device without privacy has no private address that a peer could use.
        case .addressResolutionChanged(let isUsable):
            if self.radio.addresses.isPrivate { self.server.setCentralAddressResolution(isUsable) }
        }
    }
}
