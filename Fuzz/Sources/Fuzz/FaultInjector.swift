// Faults between a host and its controller, decided by the fuzzer's input: packets pass, are lost, duplicated, changed,
// truncated or replaced, or the host stops reading for a while. Pauses are no fault as long as all of them together are
// shorter than each time limit: nothing may get lost by them.

import BluetoothAir
import BluetoothHCI
import NIOCore

/// A channel to a controller that injects faults.
final class FaultInjector: HCIChannel, HCIChannelReceiver {
    /// The packets that may have faults.
    enum Scope {
        /// Data to the controller, which the peer will get. The header for the controller stays whole.
        case dataToController
        /// Everything to the controller.
        case allToController
        /// Everything from the controller.
        case allFromController
    }

    let eventLoop: any EventLoop
    private let controller: any HCIChannel
    private weak var receiver: (any HCIChannelReceiver)?
    private let scope: Scope
    private let input: Input
    /// The number of packets that pass before the input decides again.
    private var passing = 0
    /// Whether a packet was changed or lost, or waited longer than a time limit.
    private(set) var hasFaults = false
    /// How long the host has not read, in all. Pauses that follow each other add up for a packet that waits.
    private var paused = TimeAmount.zero
    /// Packets of the controller that wait while the host does not read, as in a socket; `nil` while it reads.
    private var unread: [HCIPacket]?

    init(_ controller: any HCIChannel, scope: Scope, _ input: Input) {
        self.eventLoop = controller.eventLoop
        self.controller = controller
        self.scope = scope
        self.input = input
    }

    // MARK: HCIChannel

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.controller.start(receiver: self)
    }

    func send(_ packet: HCIPacket) {
        switch self.scope {
        case .dataToController where packet.kind == .aclData, .allToController:
            for packet in self.withFaults(packet) { self.controller.send(packet) }
        case .dataToController, .allFromController:
            self.controller.send(packet)
        }
    }

    func close() {
        self.receiver = nil
        self.controller.close()
    }

    // MARK: HCIChannelReceiver

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        if self.unread != nil { self.unread?.append(packet) } else { self.pass(packet) }
    }

    private func pass(_ packet: HCIPacket) {
        guard self.scope == .allFromController else { return self.deliver(packet) }
        for packet in self.withFaults(packet) { self.deliver(packet) }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }

    /// The host reads nothing until the time is over; its controller notices, as by a full socket.
    private func stopReading(for time: TimeAmount) {
        guard self.unread == nil else { return }
        self.paused = self.paused + time
        // The time limit of a command is the first to run out.
        if self.paused >= Scenario.commandTimeout { self.hasFaults = true }
        self.unread = []
        (self.controller as? VirtualController)?.isHostWritable = false
        self.eventLoop.assumeIsolated().scheduleTask(in: time) {
            let packets = self.unread ?? []
            self.unread = nil
            // Waiting packets are delivered before those that the controller sends from now on.
            for packet in packets { self.channel(self.controller, didReceive: packet) }
            if self.unread == nil { (self.controller as? VirtualController)?.isHostWritable = true }
            self.receiver?.channelDidFinishBatch(self)
        }
    }

    private func deliver(_ packet: HCIPacket) { self.receiver?.channel(self, didReceive: packet) }

    // MARK: Faults

    private func withFaults(_ packet: HCIPacket) -> [HCIPacket] {
        guard self.passing == 0 else {
            self.passing -= 1
            return [packet]
        }
        guard let decision = self.input.next() else { return [packet] }
        let number = decision >> 3
        switch decision & 0x07 {
        case 0:
            self.passing = Int(number)
            return [packet]
        case 1 where number != 0:
            // Up to 6.2 s.
            self.stopReading(for: .milliseconds(200 * Int64(number)))
            return [packet]
        case let kind:
            self.hasFaults = true
            return self.packets(inPlaceOf: packet, kind, number)
        }
    }

    /// The packets that pass instead of a packet with a fault.
    private func packets(inPlaceOf packet: HCIPacket, _ kind: UInt8, _ number: UInt8) -> [HCIPacket] {
        let octets = Array(packet.bytes.readableBytesView)
        // A data packet's type, handle and length are the controller's own.
        let head = self.scope == .dataToController ? min(5, octets.count) : 0
        var body = Array(octets[head...])
        switch kind {
        case 1:
            return []
        case 2:
            return [packet, packet]
        case 3:
            let place = Int(self.input.next() ?? 0)
            if !body.isEmpty { body[place % body.count] ^= self.input.next() ?? 0xFF }
        case 4:
            let place = Int(self.input.next() ?? 0)
            body.replaceSubrange(min(place, body.count)..., with: self.input.takeCounted())
        case 5:
            body.removeLast(min(body.count, Int(number)))
        case 6:
            return [packet, self.packet(like: octets, with: self.input.takeCounted())]
        default:
            return [self.packet(like: octets, with: self.input.takeCounted())]
        }
        return [self.packet(Array(octets[..<head]), body)]
    }

    /// A packet of the input's octets: for data to the controller a frame with its length.
    private func packet(like octets: [UInt8], with body: [UInt8]) -> HCIPacket {
        guard self.scope == .dataToController, octets.count >= 5 else { return self.packet([], body) }
        // The channel comes first, then the frame's content, with the length that it has.
        let content = body.dropFirst()
        let frame = [UInt8(truncatingIfNeeded: content.count), 0, body.first ?? 4, 0] + content
        return self.packet(Array(octets[..<5]), frame)
    }

    private func packet(_ head: [UInt8], _ body: [UInt8]) -> HCIPacket {
        var octets = head + body
        if head.count == 5 {
            octets[3] = UInt8(truncatingIfNeeded: body.count)
            octets[4] = UInt8(truncatingIfNeeded: body.count >> 8)
        }
        return HCIPacket(h4: ByteBuffer(bytes: octets))
    }
}
