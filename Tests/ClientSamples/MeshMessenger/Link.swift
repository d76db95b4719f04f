// A way to a neighbour: a connection of ours to their peripheral role, or of theirs to ours.

import CoreBluetooth

struct LinkID: Hashable, Sendable {
    enum Role: Sendable {
        /// We are the central.
        case outgoing
        /// The neighbour is.
        case incoming
    }

    let role: Role
    /// Core Bluetooth's identifier of the device at the other end.
    let device: UUID
}

/// What the transport keeps of a link; used on its queue alone.
final class Link {
    enum Endpoint {
        case peripheral(CBPeripheral, CBCharacteristic)
        case central(CBCentral)
    }

    /// More frames than this wait for no one: a neighbour that takes nothing is better asked later what it lacks.
    static let frameLimit = 512

    let id: LinkID
    let endpoint: Endpoint
    let opened = Date()
    var lastHeard = Date()
    /// Who is at the other end, once they have said so.
    var peer: PeerID?
    var assembler = FragmentAssembler()
    private var frames: [Data] = []

    init(_ id: LinkID, _ endpoint: Endpoint) {
        self.id = id
        self.endpoint = endpoint
    }

    var isIdle: Bool { frames.isEmpty }
    var nextFrame: Data? { frames.first }

    /// The longest frame, as negotiated so far.
    var frameLength: Int {
        switch endpoint {
        case .peripheral(let peripheral, _): return peripheral.maximumWriteValueLength(for: .withoutResponse)
        case .central(let central): return central.maximumUpdateValueLength
        }
    }

    /// `false` if there is no room for all of them.
    func enqueue(_ newFrames: [Data]) -> Bool {
        guard frames.count + newFrames.count <= Link.frameLimit else { return false }
        frames += newFrames
        return true
    }

    func frameWasSent() { frames.removeFirst() }
}

/// A device that was discovered; used on the transport's queue alone.
final class Candidate {
    enum Phase {
        case idle
        /// Connecting and discovering; the number tells one attempt from the next.
        case attempt(Int)
        case linked
        /// Connected, but silent: the neighbour's own connection is used.
        case silent(CBCharacteristic)
    }

    let peripheral: CBPeripheral
    var phase = Phase.idle
    var lastSeen = Date()
    var backoff = Backoff()
    /// Who it was when there was a link.
    var peer: PeerID?

    init(_ peripheral: CBPeripheral) { self.peripheral = peripheral }

    /// Whether it is one of the links that we may make, or will be.
    var isBusy: Bool {
        switch phase {
        case .idle, .silent: return false
        case .attempt, .linked: return true
        }
    }
}

/// When to try again: after a second, two, four, up to a minute, never all at once.
struct Backoff {
    static let longest: TimeInterval = 60

    private var failures = 0
    private(set) var notBefore = Date.distantPast

    mutating func failed() {
        let delay = min(pow(2, Double(failures)), Backoff.longest)
        failures += 1
        notBefore = Date().addingTimeInterval(delay * Double.random(in: 0.5...1.5))
    }

    mutating func succeeded() {
        failures = 0
        notBefore = .distantPast
    }
}
