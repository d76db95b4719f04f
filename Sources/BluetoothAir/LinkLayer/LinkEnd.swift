// One end of a link: what a controller keeps for it. What both ends share is in `AirLink`.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// Data of the host that waits for its turn on the air.
struct PendingData {
    /// The octets that were not sent yet.
    var payload: ByteBuffer
    /// Whether an L2CAP PDU begins with them.
    var isStart: Bool
}

/// What is sent in one packet.
enum LinkPacket {
    case control(LLControlPDU)
    /// A fragment, whether a PDU begins with it, and whether the host's packet ends with it.
    case data(ByteBuffer, isStart: Bool, isLast: Bool)
    /// An encrypted packet: the octets behind its header, and what they are.
    case sealed(ByteBuffer, Content)

    /// What is in an encrypted packet. What a control PDU says is known at both ends, which are in this process.
    enum Content {
        case control(LLControlPDU)
        case data(isStart: Bool, isLast: Bool)

        var header: PacketCipher.Header {
            switch self {
            case .control: .control
            case .data(let isStart, _): isStart ? .start : .continuation
            }
        }
    }

    /// The octets behind the header of the packet, the integrity code among them.
    var octetCount: Int {
        switch self {
        case .control(let control): control.octetCount
        case .data(let fragment, _, _): fragment.readableBytes
        case .sealed(let octets, _): octets.readableBytes
        }
    }

    /// Whether the host's packet ends with it.
    var isLastOfData: Bool {
        switch self {
        case .data(_, _, let isLast), .sealed(_, .data(_, let isLast)): isLast
        case .control, .sealed(_, .control): false
        }
    }

    /// The packet, encrypted.
    func sealed(with cipher: inout PacketCipher) -> LinkPacket {
        switch self {
        case .control(let control):
            .sealed(cipher.seal(control.octets.readableBytesView, .control), .control(control))
        case .data(let fragment, let isStart, let isLast):
            .sealed(
                cipher.seal(fragment.readableBytesView, isStart ? .start : .continuation),
                .data(isStart: isStart, isLast: isLast)
            )
        case .sealed:
            self
        }
    }
}

/// The limits of data packets in one direction (Vol 6, Part B, 4.5.10).
struct DataLength: Hashable {
    var octets: UInt16
    /// Microseconds.
    var time: UInt16

    /// What every controller can do.
    static let initial = DataLength(octets: DataPacketLimits.minimumOctets, time: DataPacketLimits.minimumTime)
    /// The most that there is.
    static let maximum = DataLength(octets: DataPacketLimits.maximumOctets, time: DataPacketLimits.maximumTime)

    func limited(by other: DataLength) -> DataLength {
        DataLength(octets: min(self.octets, other.octets), time: min(self.time, other.time))
    }
}

/// The exchange of versions at one end (Vol 6, Part B, 5.1.5).
enum VersionExchange {
    case none
    /// The host waits for the peer's version; its own has been sent.
    case requested
    case known(PeerVersion)
}

/// Answers of the peer for which an end waits.
struct AwaitedAnswers: OptionSet {
    let rawValue: UInt8

    static let features = AwaitedAnswers(rawValue: 1 << 0)
    static let phyUpdate = AwaitedAnswers(rawValue: 1 << 1)
    static let ping = AwaitedAnswers(rawValue: 1 << 2)
}

/// One end of a link.
final class LinkEnd {
    unowned let controller: Controller
    let handle: ConnectionHandle
    let role: ConnectionRole
    /// The peer as the host knows it.
    let peerAddress: DeviceAddress

    /// The life of the end (Vol 6, Part B, 5.1.6).
    enum State {
        /// Data goes both ways.
        case open
        /// Its host has asked for the end: LL_TERMINATE_IND waits until the data before it was sent.
        case ending(HCIErrorCode)
        /// LL_TERMINATE_IND was sent.
        case terminated
        /// No controller is there: after power off, or when the link has ended here.
        case gone
    }

    var state = State.open
    /// Whether a controller is there.
    var isPresent: Bool { if case .gone = self.state { false } else { true } }
    /// Whether the host at this end has asked for the end of the link.
    var isTerminating: Bool {
        switch self.state {
        case .open, .gone: false
        case .ending, .terminated: true
        }
    }
    /// The reason of an LL_TERMINATE_IND that was not sent yet.
    private var pendingReason: HCIErrorCode? { if case .ending(let reason) = self.state { reason } else { nil } }

    // MARK: Sending

    var control: Deque<LLControlPDU> = []
    var data: Deque<PendingData> = []
    /// What was sent and is not acknowledged.
    struct InFlight {
        var transmission: LinkPacket
        /// Whether the peer has received it, though its acknowledgement was lost.
        var isReceived = false
    }

    var inFlight: InFlight?
    /// Whether data may be passed on at once; kept by `AirLink.refreshPaths()`.
    var isClear = false

    // MARK: Buffers

    /// Packets of the host that it believes to be here.
    var usedBuffers = 0
    /// Packets of the host that were sent, and that were not reported to it yet.
    var completedPackets = 0
    /// Packets for the host of which it has not said that it is done with them.
    var unreportedPackets = 0

    // MARK: Procedures

    /// What this end would send at most.
    var preferredLength: DataLength
    /// What it may send, since the peer takes no more.
    var transmitLength = DataLength.initial
    /// What it has to expect.
    var receiveLength = DataLength.initial
    /// The octets of data that a packet may have now, with regard to its PHY.
    var transmitLimit = Int(DataPacketLimits.minimumOctets)

    var transmitterPHYs: PHYSet
    var receiverPHYs: PHYSet
    var awaited: AwaitedAnswers = []
    var versionExchange = VersionExchange.none
    var parameterUpdate = ParameterUpdate.none
    var encryption = EncryptionProcedure.none
    /// What the packets of this end are encrypted with.
    var transmitCipher: PacketCipher?
    /// What the packets that come have to be encrypted with.
    var receiveCipher: PacketCipher?
    /// Whether packets of this end carry an integrity code.
    var isEncrypted: Bool { self.transmitCipher != nil }

    // MARK: Authenticated payloads

    /// 30 s from the start (Vol 6, Part B, 5.4).
    var authenticatedPayloadTimeout = AuthenticatedPayloadTimeout(rawValue: 3000)
    /// When a packet with a valid integrity code last came, or when the timer began again.
    var lastAuthenticatedPayload = NIODeadline.uptimeNanoseconds(0)
    let payloadTimer = AirTimer()

    init(controller: Controller, handle: ConnectionHandle, role: ConnectionRole, peerAddress: DeviceAddress) {
        self.controller = controller
        self.handle = handle
        self.role = role
        self.peerAddress = peerAddress
        self.preferredLength = DataLength(
            octets: controller.settings.suggestedTransmitOctets,
            time: controller.settings.suggestedTransmitTime
        )
        self.transmitterPHYs = controller.settings.preferredTransmitterPHYs.intersection(controller.model.phys)
        self.receiverPHYs = controller.settings.preferredReceiverPHYs.intersection(controller.model.phys)
    }

    /// Until when the peer has to go on with a procedure that began here.
    var responseDeadline: NIODeadline?

    /// Whether a procedure that began here waits for the peer, or for the peer's host.
    var awaitsResponse: Bool {
        if case .requested = self.parameterUpdate, self.role == .peripheral { return true }
        return switch self.encryption {
        case .pausing, .requesting, .awaitingStart, .confirming: true
        case .none, .paused, .awaitingKey, .awaitingConfirmation, .refused: false
        }
    }

    /// Whether data of the host must wait, as encryption is being set up (Vol 6, Part B, 5.1.3).
    var isPaused: Bool {
        if case .none = self.encryption { false } else { true }
    }

    /// Whether nothing at this end keeps data from being passed on at once, where the peer's host has capacity.
    var hasClearPath: Bool {
        !self.hasWork && !self.isPaused && !self.isTerminating && !self.isEncrypted
    }

    /// Whether there is anything to send, now or later.
    var hasWork: Bool {
        self.inFlight != nil || !self.control.isEmpty || !self.data.isEmpty || self.pendingReason != nil
    }

    /// Whether there is something to send behind what is in flight.
    func canSendMore(to peer: LinkEnd) -> Bool {
        self.nextControlIndex != nil || self.pendingReason != nil
            || (!self.data.isEmpty && self.maySendData(to: peer))
    }

    /// Which control PDU is sent next; those of other procedures wait while encryption is started or paused.
    private var nextControlIndex: Int? {
        guard self.isPaused else { return self.control.isEmpty ? nil : 0 }
        return self.control.firstIndex { $0.isOfEncryption }
    }

    private func maySendData(to peer: LinkEnd) -> Bool {
        !self.isPaused && peer.controller.hasCapacity(for: peer)
    }

    /// What is sent next: what is not acknowledged, then the link layer's own, then data; the end of the link comes
    /// last.
    func nextTransmission(to peer: LinkEnd) -> LinkPacket? {
        if let inFlight = self.inFlight { return inFlight.transmission }
        var next: LinkPacket
        if let index = self.nextControlIndex {
            next = .control(self.control.remove(at: index))
        } else if !self.data.isEmpty, self.maySendData(to: peer) {
            next = self.nextFragment()
        } else if let reason = self.pendingReason {
            // Data that cannot be sent now would delay the end without a limit.
            self.state = .terminated
            next = .control(.terminate(reason))
        } else {
            return nil
        }
        // It stays the same where it has to be sent again.
        if self.transmitCipher != nil { next = self.seal(next) }
        self.inFlight = InFlight(transmission: next)
        return next
    }

    private func seal(_ transmission: LinkPacket) -> LinkPacket {
        guard var cipher = self.transmitCipher else { return transmission }
        defer { self.transmitCipher = cipher }
        return transmission.sealed(with: &cipher)
    }

    /// What has come in a packet; `nil` where its integrity code is wrong, or where it has none and needs one.
    func open(_ transmission: LinkPacket) -> LinkPacket? {
        switch transmission {
        case .control(let control):
            // While encryption is started or paused, the ends change over one after the other.
            return self.receiveCipher == nil || self.isPaused && control.isOfEncryption ? transmission : nil
        case .data:
            return self.receiveCipher == nil ? transmission : nil
        case .sealed(let octets, let content):
            guard let payload = self.receiveCipher?.open(octets, content.header) else { return nil }
            switch content {
            case .control(let control): return .control(control)
            case .data(let isStart, let isLast): return .data(payload, isStart: isStart, isLast: isLast)
            }
        }
    }

    /// The octets behind the header of the packet that would be sent next; `nil` where it would be empty.
    func nextOctetCount(to peer: LinkEnd) -> Int? {
        if let inFlight = self.inFlight, !inFlight.isReceived { return inFlight.transmission.octetCount }
        let code = self.isEncrypted ? AirTime.integrityCode : 0
        if let index = self.nextControlIndex { return self.control[index].octetCount + code }
        if let data = self.data.first, self.maySendData(to: peer) {
            return min(data.payload.readableBytes, self.transmitLimit) + code
        }
        return self.pendingReason.map { LLControlPDU.terminate($0).octetCount + code }
    }

    private func nextFragment() -> LinkPacket {
        let isStart = self.data[0].isStart
        if self.data[0].payload.readableBytes <= self.transmitLimit {
            return .data(self.data.removeFirst().payload, isStart: isStart, isLast: true)
        }
        self.data[0].isStart = false
        // The limit is below the readable octets.
        let fragment = self.data[0].payload.readSlice(length: self.transmitLimit) ?? ByteBuffer()
        return .data(fragment, isStart: isStart, isLast: false)
    }

    /// Notes that the peer has received what is in flight; `false` where it had received it before.
    func markInFlightReceived() -> Bool {
        guard let inFlight = self.inFlight, !inFlight.isReceived else { return false }
        self.inFlight?.isReceived = true
        return true
    }

    /// The peer has acknowledged what was in flight.
    func acknowledge() {
        guard let inFlight = self.inFlight else { return }
        self.inFlight = nil
        if inFlight.transmission.isLastOfData { self.controller.complete(self) }
    }
}
