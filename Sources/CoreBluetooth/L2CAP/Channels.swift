// The channels of one adapter on its event loop: who listens on which PSM, whose channel each is, and the octets on their
// way between the host and the pipes of the apps' streams.

import BluetoothHost
import Foundation
import NIOCore

/// All channels of one adapter.
final class Channels {
    /// What this side offers on a channel: a frame fills one LE data packet.
    static let configuration = ChannelConfiguration(mtu: 4_096, mps: 247, window: 512, sendLimit: 65_536)
    /// What a peripheral can publish and a central can open (Vol 3, Part A, 4.22).
    static let dynamicPSMs: ClosedRange<CBL2CAPPSM> = 0x0080...0x00FF

    private unowned let core: AdapterCore
    private let delivery: StreamSchedule.Delivery
    private var ends: [ChannelID: ChannelEnd] = [:]
    /// Those with octets for their apps.
    private var delivering: [ChannelEnd] = []
    private var publishers: [CBL2CAPPSM: PeripheralSession] = [:]
    /// The PSM that was given out last: they go round, so that a peer that kept an old one does not meet another app.
    private var lastPSM: CBL2CAPPSM = 0x00BF

    init(core: AdapterCore, usesLoopTurns: Bool) {
        self.core = core
        self.delivery = usesLoopTurns ? .eventLoop(core.eventLoop) : .runLoops
    }

    private var host: LEHost { self.core.host }

    // MARK: Publishing

    /// Lets centrals open channels to a session's app.
    func publish(for session: PeripheralSession, withEncryption: Bool) -> Result<CBL2CAPPSM, ChannelListenError> {
        for _ in Self.dynamicPSMs where self.publishers[self.nextPSM()] == nil { break }
        do {
            let psm = try self.host.listenForChannels(
                spsm: self.lastPSM,
                configuration: Self.configuration,
                security: withEncryption ? .encrypted : .none
            )
            self.publishers[psm] = session
            return .success(psm)
        } catch {
            return .failure(error)
        }
    }

    private func nextPSM() -> CBL2CAPPSM {
        let range = Self.dynamicPSMs
        self.lastPSM = self.lastPSM < range.upperBound ? self.lastPSM + 1 : range.lowerBound
        return self.lastPSM
    }

    /// Ends that, and all channels on the PSM; false where the session did not publish it.
    func unpublish(_ psm: CBL2CAPPSM, of session: PeripheralSession) -> Bool {
        guard self.publishers[psm] === session else { return false }
        self.publishers[psm] = nil
        self.host.stopListening(spsm: psm)
        self.close { end in
            if case .peripheral(let owner, _) = end.owner { owner === session && end.psm == psm } else { false }
        }
        return true
    }

    /// Ends everything of a session.
    func unpublishAll(of session: PeripheralSession) {
        for psm in self.publishers.filter({ $0.value === session }).keys.sorted() {
            _ = self.unpublish(psm, of: session)
        }
    }

    // MARK: Opening and closing

    /// Whether a peer's request is granted.
    func answer(_ request: ChannelRequest) -> CreditBasedConnectionResult {
        guard let session = self.publishers[request.spsm] else { return .spsmNotSupported }
        return session.unclaimedChannels.hasRoom ? .success : .noResources
    }

    /// A peer's channel is open.
    func opened(_ channel: ChannelInformation) {
        guard channel.isIncoming else { return }
        guard let session = self.publishers[channel.spsm] else { return self.host.closeChannel(channel.id) }
        let handle = self.add(channel, .peripheral(session, channel.link), session.unclaimedChannels)
        session.opened(handle, psm: channel.spsm, on: channel.link)
    }

    /// A channel that a central's app asked for is open.
    func opened(_ channel: ChannelInformation, for interest: PeripheralConnection) -> ChannelHandle {
        self.add(channel, .central(interest), interest.session.unclaimedChannels)
    }

    private func add(
        _ channel: ChannelInformation,
        _ owner: ChannelEnd.Owner,
        _ unclaimed: UnclaimedChannels
    ) -> ChannelHandle {
        let id = channel.id
        let eventLoop = self.core.eventLoop
        let core = NIOLoopBound(WeakCore(core: self.core), eventLoop: eventLoop)
        let isVirtual = if case .eventLoop = self.delivery { true } else { false }
        let pipe = ChannelPipe(
            window: (Self.configuration.window, Self.configuration.mps),
            maySleep: { !isVirtual && !eventLoop.inEventLoop },
            wakeLoop: { eventLoop.execute { core.value.core?.channels.work(id) } }
        )
        self.ends[id] = ChannelEnd(id: id, psm: channel.spsm, owner: owner, pipe: pipe, core: self.core)
        return ChannelHandle(pipe, self.delivery, unclaimed)
    }

    /// Ends the channels of an app that has given up its connection.
    func close(of interest: PeripheralConnection) {
        self.close { if case .central(let owner) = $0.owner { owner === interest } else { false } }
    }

    private func close(where isMeant: (ChannelEnd) -> Bool) {
        // In the order in which they were opened, so that equal runs are equal.
        for end in self.ends.values.filter(isMeant).sorted(by: { $0.id.rawValue < $1.id.rawValue }) { end.close() }
    }

    /// The adapter stopped, and there is no link any more.
    func reset() {
        let ends = self.ends.values.sorted { $0.id.rawValue < $1.id.rawValue }
        self.flush()
        self.ends = [:]
        for end in ends { end.closed() }
    }

    // MARK: Octets

    /// An app has read, written or closed.
    private func work(_ id: ChannelID) {
        self.ends[id]?.work()
        self.core.flush()
    }

    /// Octets came.
    func received(_ octets: ByteBuffer, on id: ChannelID) {
        guard octets.readableBytes > 0, let end = self.ends[id] else { return }
        if end.inbox.isEmpty { self.delivering.append(end) }
        end.inbox.append(octets)
    }

    /// There is room to send.
    func ready(_ id: ChannelID) { self.ends[id]?.send() }

    /// A channel has ended.
    func closed(_ id: ChannelID) {
        self.flush()
        self.ends.removeValue(forKey: id)?.closed()
    }

    /// Lets the turn's octets go to the apps.
    func flush() {
        guard !self.delivering.isEmpty else { return }
        for end in self.delivering { end.deliver() }
        self.delivering.removeAll(keepingCapacity: true)
    }
}

/// The way back to an adapter that may be gone.
private struct WeakCore {
    weak var core: AdapterCore?
}

/// The event loop's end of a channel.
final class ChannelEnd {
    /// Whose channel it is.
    enum Owner {
        case central(PeripheralConnection)
        case peripheral(PeripheralSession, LinkID)
    }

    private enum Phase {
        case open
        /// Closes when all that was written has gone to the host, or when that takes too long.
        case closing(Scheduled<Void>)
        /// The host closes it.
        case closed
    }

    /// How long what was written before the end may wait for room.
    private static let closingTime = TimeAmount.seconds(30)

    let id: ChannelID
    let psm: CBL2CAPPSM
    let owner: Owner
    private let pipe: ChannelPipe
    private unowned let core: AdapterCore
    private var phase = Phase.open
    /// Octets of the host for the pipe.
    fileprivate var inbox: [ByteBuffer] = []
    /// Octets of the pipe for the host.
    private var outbox: CircularBuffer<ByteBuffer> = []

    init(id: ChannelID, psm: CBL2CAPPSM, owner: Owner, pipe: ChannelPipe, core: AdapterCore) {
        self.id = id
        self.psm = psm
        self.owner = owner
        self.pipe = pipe
        self.core = core
    }

    /// Does what the app has asked for.
    func work() {
        var work = self.pipe.takeWork()
        if work.consumed > 0 { self.core.host.consume(work.consumed, of: self.id) }
        while let octets = work.written.popFirst() { self.outbox.append(octets) }
        self.send()
        if work.isClosing { self.beginClosing() }
    }

    /// Hands octets to the host while it takes them.
    func send() {
        var count = 0
        while let octets = self.outbox.first {
            let taken = self.core.host.write(octets, on: self.id)
            count += taken
            guard taken == octets.readableBytes else {
                self.outbox[self.outbox.startIndex].moveReaderIndex(forwardBy: taken)
                break
            }
            self.outbox.removeFirst()
        }
        if count > 0 { self.pipe.sent(count) }
        if case .closing(let timer) = self.phase, self.outbox.isEmpty {
            timer.cancel()
            self.phase = .closed
            self.core.host.closeChannel(self.id)
        }
    }

    /// Lets octets go to the app.
    fileprivate func deliver() { self.pipe.deliver(&self.inbox) }

    private func beginClosing() {
        guard case .open = self.phase else { return }
        self.phase = .closing(
            self.core.schedule(in: Self.closingTime) { [weak self] in
                self?.outbox.removeAll()
                self?.send()
            }
        )
        self.send()
    }

    /// This side ends the channel.
    func close() {
        self.work()
        self.pipe.end()
        self.beginClosing()
    }

    /// The channel has ended.
    fileprivate func closed() {
        if case .closing(let timer) = self.phase { timer.cancel() }
        self.phase = .closed
        self.outbox.removeAll()
        let wasDropped = self.pipe.wasDropped
        self.pipe.detach()
        guard wasDropped else { return }
        switch self.owner {
        case .central(let interest): interest.tell(.unknownChannelEnded(interest.name, self.psm))
        case .peripheral(let session, let link): session.tell(.unknownChannelEnded(link, self.psm))
        }
    }
}
