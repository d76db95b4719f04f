// One end of a link: a controller's own state for it. `AirLink` has the state that both ends share.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// Data of the host that waits to be sent.
struct PendingData {
    /// The octets that were not yet sent.
    var payload: ByteBuffer
    /// Whether an L2CAP PDU begins with them.
    var isStart: Bool
}

/// The content of one packet.
enum LinkPacket {
    case control(LLControlPDU)
    /// A fragment, whether a PDU begins with it, and whether the host's packet ends with it.
    case data(ByteBuffer, isStart: Bool, isLast: Bool)
    /// An encrypted packet: the octets after its header, and what they contain.
    case sealed(ByteBuffer, Content)

    /// The content of an encrypted packet. Both ends are in this process, so the control PDU itself comes along.
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

    /// The octets after the header, including the integrity code.
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

    /// The minimum that every controller supports.
    static let initial = DataLength(octets: DataPacketLimits.minimumOctets, time: DataPacketLimits.minimumTime)
    /// The maximum of the specification.
    static let maximum = DataLength(octets: DataPacketLimits.maximumOctets, time: DataPacketLimits.maximumTime)

    func limited(by other: DataLength) -> DataLength {
        DataLength(octets: min(self.octets, other.octets), time: min(self.time, other.time))
    }
}

/// The exchange of versions at one end (Vol 6, Part B, 5.1.5).
enum VersionExchange {
    case none
    /// The host waits for the peer's version; this end's version has been sent.
    case requested
    case known(PeerVersion)
}

/// Answers that an end expects from its peer.
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
        /// The host has ended the link: LL_TERMINATE_IND waits until earlier data was sent.
        case ending(HCIErrorCode)
        /// LL_TERMINATE_IND was sent.
        case terminated
        /// The end no longer exists: its controller was switched off, or the link has ended here.
        case gone
    }

    var state = State.open
    /// Whether the end still exists.
    var isPresent: Bool { if case .gone = self.state { false } else { true } }
    /// Whether the host at this end has ended the link.
    var isTerminating: Bool {
        switch self.state {
        case .open, .gone: false
        case .ending, .terminated: true
        }
    }
    /// The reason of an LL_TERMINATE_IND that was not yet sent.
    private var pendingReason: HCIErrorCode? { if case .ending(let reason) = self.state { reason } else { nil } }

    // MARK: Sending

    var control: Deque<LLControlPDU> = []
    var data: Deque<PendingData> = []
    /// A packet that was sent and is not acknowledged.
    struct InFlight {
        var transmission: LinkPacket
        /// Whether the peer has received it but its acknowledgement was lost.
        var isReceived = false
    }

    var inFlight: InFlight?
    /// Whether data may be passed on immediately; set by `AirLink.refreshPaths()`.
    var isClear = false

    // MARK: Buffers

    /// Packets of the host that it counts as held here.
    var usedBuffers = 0
    /// Packets of the host that were sent and not yet reported to it.
    var completedPackets = 0
    /// Packets for the host that it has not yet reported as completed.
    var unreportedPackets = 0

    // MARK: Procedures

    /// The length that this end prefers to send.
    var preferredLength: DataLength
    /// The length that it may send, limited by the peer.
    var transmitLength = DataLength.initial
    /// The length that it has to expect.
    var receiveLength = DataLength.initial
    /// The maximum octets of data in a packet on the present PHY.
    var transmitLimit = Int(DataPacketLimits.minimumOctets)

    var transmitterPHYs: PHYSet
    var receiverPHYs: PHYSet
    var awaited: AwaitedAnswers = []
    var versionExchange = VersionExchange.none
    var parameterUpdate = ParameterUpdate.none
    var encryption = EncryptionProcedure.none
    /// Encrypts the packets of this end.
    var transmitCipher: PacketCipher?
    /// Decrypts received packets, which must be encrypted.
    var receiveCipher: PacketCipher?
    /// Whether packets of this end carry an integrity code.
    var isEncrypted: Bool { self.transmitCipher != nil }

    // MARK: Authenticated payloads

    /// 30 s by default (Vol 6, Part B, 5.4).
    var authenticatedPayloadTimeout = AuthenticatedPayloadTimeout(rawValue: 3000)
    /// When a packet with a valid integrity code was last received, or the timer restarted.
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

    /// The deadline of the peer for a procedure that began here.
    var responseDeadline: NIODeadline?

    /// Whether a procedure that began here waits for the peer or its host.
    var awaitsResponse: Bool {
        if case .requested = self.parameterUpdate, self.role == .peripheral { return true }
        return switch self.encryption {
        case .pausing, .requesting, .awaitingStart, .confirming: true
        case .none, .paused, .awaitingKey, .awaitingConfirmation, .refused: false
        }
    }

    /// Whether data of the host must wait because encryption is being set up (Vol 6, Part B, 5.1.3).
    var isPaused: Bool {
        if case .none = self.encryption { false } else { true }
    }

    /// Whether this end allows data to be passed on immediately if the peer's host has capacity.
    var hasClearPath: Bool {
        !self.hasWork && !self.isPaused && !self.isTerminating && !self.isEncrypted
    }

    /// Whether there is anything to send, now or later.
    var hasWork: Bool {
        self.inFlight != nil || !self.control.isEmpty || !self.data.isEmpty || self.pendingReason != nil
    }

    /// Whether there is something to send after the packet in flight.
    func canSendMore(to peer: LinkEnd) -> Bool {
        self.nextControlIndex != nil || self.pendingReason != nil
            || (!self.data.isEmpty && self.maySendData(to: peer))
    }

    /// The index of the control PDU to send next; those of other procedures wait while encryption is started or paused.
    private var nextControlIndex: Int? {
        guard self.isPaused else { return self.control.isEmpty ? nil : 0 }
        return self.control.firstIndex { $0.isOfEncryption }
    }

    private func maySendData(to peer: LinkEnd) -> Bool {
        !self.isPaused && peer.controller.hasCapacity(for: peer)
    }

    /// The next packet: one that is not acknowledged, then control PDUs, then data, and LL_TERMINATE_IND last.
    func nextTransmission(to peer: LinkEnd) -> LinkPacket? {
        if let inFlight = self.inFlight { return inFlight.transmission }
        var next: LinkPacket
        if let index = self.nextControlIndex {
            next = .control(self.control.remove(at: index))
        } else if !self.data.isEmpty, self.maySendData(to: peer) {
            next = self.nextFragment()
        } else if let reason = self.pendingReason {
            // Waiting for data that cannot be sent now could delay the end forever.
            self.state = .terminated
            next = .control(.terminate(reason))
        } else {
            return nil
        }
        // A retransmission must be identical.
        if self.transmitCipher != nil { next = self.seal(next) }
        self.inFlight = InFlight(transmission: next)
        return next
    }

    private func seal(_ transmission: LinkPacket) -> LinkPacket {
        guard var cipher = self.transmitCipher else { return transmission }
        defer { self.transmitCipher = cipher }
        return transmission.sealed(with: &cipher)
    }

    /// The content of a received packet; `nil` if its integrity code is wrong or missing.
    func open(_ transmission: LinkPacket) -> LinkPacket? {
        switch transmission {
        case .control(let control):
            // While encryption is started or paused, the ends switch one after the other.
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

    /// The number of octets after the header of the next packet; `nil` if it would be empty.
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
        // The limit is less than the readable octets.
        let fragment = self.data[0].payload.readSlice(length: self.transmitLimit) ?? ByteBuffer()
        return .data(fragment, isStart: isStart, isLast: false)
    }

    /// Notes that the peer has received the packet in flight; returns `false` if it had before.
    func markInFlightReceived() -> Bool {
        guard let inFlight = self.inFlight, !inFlight.isReceived else { return false }
        self.inFlight?.isReceived = true
        return true
    }

    /// Handles the peer's acknowledgement of the packet in flight.
    func acknowledge() {
        guard let inFlight = self.inFlight else { return }
        self.inFlight = nil
        if inFlight.transmission.isLastOfData { self.controller.complete(self) }
    }
}
