// One controller that hosts use one after the other. Each host finds it as after a reset: what the previous host had
// started has ended, and none of its events arrive.
//
//     free ──a host comes──▶ resetting ──the answers to all resets──▶ in use ──the host goes──▶ free, reset again
//                               └──the host goes──▶ free
//
// A host that sends more than a little before the controller is reset is dropped. What a controller can do: never
// answer a reset (its host waits), or go (everything ends, which the owner is given with the reason).

import BluetoothHCI
import NIOCore

/// A controller for one host at a time. Used on the event loop of its channel.
final class SharedController: HCIChannelReceiver {
    private enum State {
        case free
        /// Packets of the host wait for the controller's answer.
        case resetting(Lease, waiting: [HCIPacket])
        case inUse(Lease)
    }

    /// The most packets that a host may send before the controller is reset.
    private static let waitingLimit = 64

    private let channel: any HCIChannel
    private let lost: (String) -> Void
    private var state = State.free
    /// The number of unanswered resets: all of them end before the events of a host begin.
    private var resets = 0

    /// Takes a channel over; `lost` gets the reason when the controller is gone.
    init(_ channel: any HCIChannel, lost: @escaping (String) -> Void) {
        self.channel = channel
        self.lost = lost
        channel.start(receiver: self)
    }

    /// The controller for the next host.
    func lease() -> any HCIChannel { Lease(self) }

    private func begin(_ lease: Lease) {
        state = .resetting(lease, waiting: [])
        reset()
    }

    private func send(_ packet: HCIPacket, of lease: Lease) {
        switch state {
        case .resetting(let present, var waiting) where present === lease:
            guard waiting.count < Self.waitingLimit else {
                state = .free
                return lease.end("it sends packets before the controller is reset")
            }
            waiting.append(packet)
            state = .resetting(lease, waiting: waiting)
        case .inUse(let present) where present === lease: channel.send(packet)
        case .free, .resetting, .inUse: break
        }
    }

    private func end(_ lease: Lease) {
        switch state {
        case .resetting(let present, _) where present === lease: state = .free
        case .inUse(let present) where present === lease:
            state = .free
            reset()
        case .free, .resetting, .inUse: break
        }
    }

    private func reset() {
        resets += 1
        channel.send(Reset().packet())
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        switch state {
        case .inUse(let lease): lease.deliver(packet)
        case .free, .resetting:
            guard case .commandComplete(let event)? = try? HCIEvent(packet), event.opcode == Reset.opcode else {
                return
            }
            resets = max(0, resets - 1)
            guard resets == 0, case .resetting(let lease, let waiting) = state else { return }
            state = .inUse(lease)
            for packet in waiting { channel.send(packet) }
        }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {
        if case .inUse(let lease) = state { lease.deliverEndOfBatch() }
    }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        switch state {
        case .inUse(let lease), .resetting(let lease, _): lease.end("the controller is gone: \(reason)")
        case .free: break
        }
        state = .free
        lost(reason)
    }

    /// The controller as one host sees it.
    private final class Lease: HCIChannel {
        let eventLoop: any EventLoop
        private let controller: SharedController
        private weak var receiver: (any HCIChannelReceiver)?

        init(_ controller: SharedController) {
            self.controller = controller
            eventLoop = controller.channel.eventLoop
        }

        func start(receiver: any HCIChannelReceiver) {
            self.receiver = receiver
            controller.begin(self)
        }

        func send(_ packet: HCIPacket) { controller.send(packet, of: self) }

        func sendTogether(_ body: () -> Void) { controller.channel.sendTogether(body) }

        func close() {
            receiver = nil
            controller.end(self)
        }

        func deliver(_ packet: HCIPacket) { receiver?.channel(self, didReceive: packet) }

        func deliverEndOfBatch() { receiver?.channelDidFinishBatch(self) }

        /// Ends it in a later turn: the receiver is not called from inside a call of its own.
        func end(_ reason: String) {
            eventLoop.assumeIsolated().execute { [self] in receiver?.channel(self, didCloseBecause: reason) }
        }
    }
}
