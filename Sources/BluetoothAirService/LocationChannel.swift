// Places a device on an air that another process serves: a vendor-specific command sets its location before the host's
// first packet, and its answer is kept from the host. So a host knows nothing of airs.
//
//     idle ──start──▶ configuring ──the command's answer──▶ open
//       │                 │                                  │
//       └─────────────────┴──────────────close───────────────┴──▶ closed
//
// idle: The host has not started the channel; its packets wait.
// configuring: The command was sent. A controller takes one command before its first answer (Vol 4, Part E, 4.4), so
//     the host's packets wait. Command Complete or Command Status of this command, whatever the status, opens the
//     channel; all other packets pass.
// open: Everything passes, in both directions.
// closed: Nothing passes.
//
// If the controller never answers, the host's first command is not answered either, and the host's command timeout ends
// the attempt. Only the host fills the queue. No timers. HCI Reset does not change a location: it belongs to the
// device, not to the host's settings.

import BluetoothAir
import BluetoothHCI
import NIOCore

/// An HCI channel that sets the location of the virtual controller at its end.
final class LocationChannel: HCIChannel {
    private enum State {
        case idle(pending: [HCIPacket])
        case configuring(pending: [HCIPacket])
        case open
        case closed
    }

    let eventLoop: any EventLoop
    private let channel: any HCIChannel
    private let command: HCIPacket
    private let opcode: HCIOpcode
    private weak var receiver: (any HCIChannelReceiver)?
    private var state = State.idle(pending: [])

    /// Sends the location in front of all packets through `channel`, which was not started yet.
    init(_ channel: any HCIChannel, location: AirLocation) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        switch location {
        case .distance(let distance):
            self.command = AirSetDistance(distance).packet()
            self.opcode = AirSetDistance.opcode
        case .position(let position):
            self.command = AirSetPosition(position).packet()
            self.opcode = AirSetPosition.opcode
        }
    }

    func start(receiver: any HCIChannelReceiver) {
        guard case .idle(let pending) = self.state else { return }
        self.receiver = receiver
        self.state = .configuring(pending: pending)
        self.channel.start(receiver: self)
        self.channel.send(self.command)
    }

    func send(_ packet: HCIPacket) {
        switch self.state {
        case .idle(let pending): self.state = .idle(pending: pending + [packet])
        case .configuring(let pending): self.state = .configuring(pending: pending + [packet])
        case .open: self.channel.send(packet)
        case .closed: break
        }
    }

    func sendTogether(_ body: () -> Void) { self.channel.sendTogether(body) }

    var leavesProcess: Bool { self.channel.leavesProcess }

    func close() {
        self.state = .closed
        self.receiver = nil
        self.channel.close()
    }

    /// Whether a packet is the answer to the command.
    private func isAnswer(_ packet: HCIPacket) -> Bool {
        switch try? HCIEvent(packet) {
        case .commandComplete(let event)?: event.opcode == self.opcode
        case .commandStatus(let event)?: event.opcode == self.opcode
        default: false
        }
    }
}

extension LocationChannel: HCIChannelReceiver {
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard case .configuring(let pending) = self.state, self.isAnswer(packet) else {
            self.receiver?.channel(self, didReceive: packet)
            return
        }
        self.state = .open
        for packet in pending { self.channel.send(packet) }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        let receiver = self.receiver
        self.state = .closed
        self.receiver = nil
        receiver?.channel(self, didCloseBecause: reason)
    }
}
