// Two signalling machines with a channel between them and nothing but order on the way, and on each side a user who
// writes and reads as chance has it.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

struct ChannelPair {
    /// One side. Every octet that it writes follows from its place in the stream.
    struct End {
        /// Octets received so far.
        private(set) var received = 0
        /// Whether each was what it had to be.
        private(set) var isUnchanged = true
        /// Whether what came unread never was more than the window allows.
        private(set) var wasWithinWindow = true

        fileprivate private(set) var unread = 0
        fileprivate var coming: [(channel: CID, payload: ByteBuffer)] = []
        fileprivate private(set) var actions: [LESignalling.Action] = []
        private var signalling: LESignalling
        private var id: L2CAPChannelID?
        private let window: Int
        private var written = 0
        private let now = NIODeadline.uptimeNanoseconds(0)

        /// One that asks for a channel, or grants it.
        fileprivate init(_ configuration: L2CAPChannelConfiguration, asks: Bool) {
            self.signalling = LESignalling(isCentral: asks)
            self.window = configuration.window * configuration.mps + configuration.mtu
            if asks {
                self.signalling.openChannel(
                    L2CAPChannelID(rawValue: 1),
                    to: 0x80,
                    configuration,
                    now: self.now,
                    into: &self.actions
                )
            } else {
                self.signalling.channels.listeners[0x80] = .init(configuration: configuration, security: .none)
            }
        }

        /// The user writes the next octets, no more than up to `total`.
        fileprivate mutating func write(_ count: Int, total: Int) {
            guard let id = self.id else { return Self.complain("the channel is not open") }
            let places = self.written..<self.written + min(count, total - self.written)
            let octets = ByteBuffer(bytes: places.map(Self.octet))
            self.written +=
                self.signalling.update(id, now: self.now, into: &self.actions) { $0.write(octets, &$1) } ?? 0
        }

        /// The user gives octets back.
        fileprivate mutating func consume(_ count: Int) {
            guard let id = self.id else { return Self.complain("the channel is not open") }
            let count = min(count, self.unread)
            self.unread -= count
            self.signalling.update(id, now: self.now, into: &self.actions) { $0.consume(count, &$1) }
        }

        /// Takes what has come.
        fileprivate mutating func receive() {
            let coming = self.coming
            self.coming = []
            for (channel, payload) in coming {
                if channel == .signalling {
                    self.signalling.receive(payload, now: self.now, into: &self.actions)
                } else {
                    self.signalling.receiveFrame(payload, on: channel, now: self.now, into: &self.actions)
                }
            }
        }

        /// Carries out what the machine wants; what is to be sent comes back.
        fileprivate mutating func perform() -> [(channel: CID, payload: ByteBuffer)] {
            var leaving: [(channel: CID, payload: ByteBuffer)] = []
            while !self.actions.isEmpty {
                let actions = self.actions
                self.actions = []
                for action in actions {
                    switch action {
                    case .send(let pdu):
                        leaving.append((.signalling, pdu))
                    case .channel(.send(let frame, let channel, let id)):
                        leaving.append((channel, frame))
                        self.signalling.update(id, now: self.now, into: &self.actions) { $0.frameSent(&$1) }
                    case .channel(.requested(let cid, _)):
                        let id = L2CAPChannelID(rawValue: 1)
                        self.signalling.update(cid, now: self.now, into: &self.actions) { $0.accept(as: id, &$1) }
                    case .channel(.opened(let id, _, _, _)):
                        self.id = id
                    case .channel(.received(_, let octets)):
                        self.check(octets)
                    case .channel(.writable):
                        break
                    case .updateConnection, .parameterRequestEnded, .channel(.failed), .channel(.closed):
                        Self.complain("\(action)")
                    }
                }
            }
            return leaving
        }

        private mutating func check(_ octets: ByteBuffer) {
            let places = self.received..<self.received + octets.readableBytes
            if octets != ByteBuffer(bytes: places.map(Self.octet)) { self.isUnchanged = false }
            self.received = places.upperBound
            self.unread += octets.readableBytes
            if self.unread > self.window { self.wasWithinWindow = false }
        }

        private static func octet(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8) }

        private static func complain(_ text: String) { Issue.record("\(text)") }
    }

    private(set) var first: End
    private(set) var second: End

    /// Opens a channel with these sizes.
    init(_ first: L2CAPChannelConfiguration, _ second: L2CAPChannelConfiguration) {
        self.first = End(first, asks: true)
        self.second = End(second, asks: false)
        self.settle()
    }

    /// Sends so many octets in each direction.
    mutating func run(octets: Int, random: inout SeededGenerator) {
        for _ in 0..<1_000_000 {
            if self.first.received == octets, self.second.received == octets { break }
            let count = Int.random(in: 1...900, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: self.first.write(count, total: octets)
            case 1: self.second.write(count, total: octets)
            case 2: self.first.consume(count)
            default: self.second.consume(count)
            }
            self.settle()
        }
    }

    /// Carries everything to and fro.
    private mutating func settle() {
        repeat {
            self.first.receive()
            self.second.coming += self.first.perform()
            self.second.receive()
            self.first.coming += self.second.perform()
        } while !self.first.coming.isEmpty || !self.second.coming.isEmpty
    }
}
