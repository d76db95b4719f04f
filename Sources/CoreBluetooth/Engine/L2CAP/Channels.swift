// The channels of one adapter on its event loop: the publishers of PSMs, the owners of channels, and the channels with
// octets for their apps.

import BluetoothHost
import Foundation
import NIOCore

/// All channels of one adapter.
final class Channels {
    /// This side's parameters of a channel: a frame fills one LE data packet.
    static let configuration = L2CAPChannelConfiguration(mtu: 4_096, mps: 247, window: 512, sendLimit: 65_536)
    /// The PSM that is published first. They are assigned in turn, so that a peer that remembers an old one does not
    /// reach another app.
    private static let firstPSM: SPSM = 0x00C0

    private unowned let core: AdapterCore
    private let delivery: StreamSchedule.Delivery
    private var endpoints: [L2CAPChannelID: ChannelEndpoint] = [:]
    /// The endpoints with octets for their apps.
    private var receiving: [ChannelEndpoint] = []
    private var publishers: [SPSM: PeripheralSession] = [:]

    init(core: AdapterCore, usesLoopTurns: Bool, callbackScheduler: (any CallbackScheduler)?) {
        self.core = core
        self.delivery = usesLoopTurns ? .eventLoop(core.eventLoop, callbackScheduler) : .runLoops
    }

    private var host: LEHost { self.core.host }

    // MARK: Publishing

    /// Lets centrals whose links have a level open channels to a session's app.
    func publish(for session: PeripheralSession, _ level: SecurityLevel) -> Result<CBL2CAPPSM, L2CAPListenError> {
        do {
            let spsm = try self.host.listenForChannels(
                from: Self.firstPSM,
                configuration: Self.configuration,
                security: SecurityRequirement(level: level)
            )
            self.publishers[spsm] = session
            return .success(spsm.rawValue)
        } catch {
            return .failure(error)
        }
    }

    /// Unpublishes a PSM and ends all channels on it. Returns false if the session did not publish it.
    func unpublish(_ psm: CBL2CAPPSM, of session: PeripheralSession) -> Bool {
        let spsm = SPSM(rawValue: psm)
        guard self.publishers[spsm] === session else { return false }
        self.publishers[spsm] = nil
        self.host.stopListening(spsm: spsm)
        self.close { endpoint in
            guard case .peripheral(let owner, _) = endpoint.owner else { return false }
            return owner === session && endpoint.psm == psm
        }
        return true
    }

    /// Unpublishes all PSMs of a session.
    func unpublishAll(of session: PeripheralSession) {
        for spsm in self.publishers.filter({ $0.value === session }).keys.sorted() {
            _ = self.unpublish(spsm.rawValue, of: session)
        }
    }

    // MARK: Opening and closing

    /// The answer to a peer's request.
    func answer(_ request: L2CAPChannelRequest) -> L2CAPConnectionResult {
        guard let session = self.publishers[request.spsm] else { return .spsmNotSupported }
        return session.unclaimedChannels.hasCapacity ? .success : .noResources
    }

    /// A peer's channel is open.
    func opened(_ channel: L2CAPChannelInformation) {
        guard channel.isIncoming else { return }
        guard let session = self.publishers[channel.spsm] else { return self.host.closeChannel(channel.id) }
        let handle = self.add(channel, .peripheral(session, channel.link), session.unclaimedChannels)
        session.opened(handle, psm: channel.spsm.rawValue, on: channel.link)
    }

    /// A channel that a central's app asked for is open.
    func opened(_ channel: L2CAPChannelInformation, for connection: PeripheralConnection) -> ChannelHandle {
        self.add(channel, .central(connection), connection.session.unclaimedChannels)
    }

    private func add(
        _ channel: L2CAPChannelInformation,
        _ owner: ChannelEndpoint.Owner,
        _ unclaimed: UnclaimedChannels
    ) -> ChannelHandle {
        let id = channel.id
        let eventLoop = self.core.eventLoop
        let core = NIOLoopBound(WeakCore(core: self.core), eventLoop: eventLoop)
        let delivery = self.delivery
        let pipe = ChannelPipe(
            window: (Self.configuration.window, Self.configuration.mps),
            mayBlock: { delivery.mayBlock(on: eventLoop) },
            wakeLoop: { eventLoop.execute { core.value.core?.channels.work(id) } }
        )
        let psm = channel.spsm.rawValue
        self.endpoints[id] = ChannelEndpoint(id: id, psm: psm, owner: owner, pipe: pipe, host: self.host)
        return ChannelHandle(pipe, self.delivery, unclaimed)
    }

    /// Ends the channels of an app that has cancelled its connection.
    func close(of connection: PeripheralConnection) {
        self.close { if case .central(let owner) = $0.owner { owner === connection } else { false } }
    }

    private func close(where isMeant: (ChannelEndpoint) -> Bool) {
        for endpoint in self.inOrder where isMeant(endpoint) { endpoint.close() }
    }

    /// The endpoints in the order in which they were opened, so that runs are repeatable.
    private var inOrder: [ChannelEndpoint] { self.endpoints.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// The adapter stopped, and all links are gone.
    func reset() {
        let endpoints = self.inOrder
        self.flush()
        self.endpoints = [:]
        for endpoint in endpoints { endpoint.closed() }
    }

    // MARK: Octets

    /// An app has read, written or closed.
    private func work(_ id: L2CAPChannelID) {
        self.endpoints[id]?.work()
        self.core.flush()
    }

    /// Octets came.
    func received(_ octets: ByteBuffer, on id: L2CAPChannelID) {
        guard octets.readableBytes > 0, let endpoint = self.endpoints[id] else { return }
        if endpoint.receive(octets) { self.receiving.append(endpoint) }
    }

    /// There is capacity to send.
    func ready(_ id: L2CAPChannelID) { self.endpoints[id]?.send() }

    /// A channel has ended.
    func closed(_ id: L2CAPChannelID) {
        self.flush()
        self.endpoints.removeValue(forKey: id)?.closed()
    }

    /// Hands the turn's octets to the apps.
    func flush() {
        guard !self.receiving.isEmpty else { return }
        for endpoint in self.receiving { endpoint.flush() }
        self.receiving.removeAll(keepingCapacity: true)
    }
}

/// A reference to an adapter that may be gone.
private struct WeakCore {
    weak var core: AdapterCore?
}
