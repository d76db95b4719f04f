// Where the event loop enters a host: packets of the controller, turns and timers.
//
// A channel does not retain its receiver, and neither does a timer its host. Both hold this object instead of the host:
// in Swift an object to which a weak reference was ever made pays for it with each of its other references, and the
// host is referenced several times for each packet.

import BluetoothHCI
import NIOCore

/// The receiver of a host's channel, which ends with the host.
final class LEHostEntry: HCIChannelReceiver {
    /// The host; `nil` once it is gone.
    @exclusivity(unchecked) unowned var host: LEHost?

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.host?.receive(packet, from: channel)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {
        self.host?.finishBatch(of: channel)
    }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.host?.closed(channel, reason: reason)
    }
}

extension LEHost {
    /// Runs `work` at a time unless the host is gone by then.
    @discardableResult
    func schedule(at deadline: NIODeadline, _ work: @escaping (LEHost) -> Void) -> Scheduled<Void> {
        self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak entry = self.entry] in
            if let host = entry?.host { work(host) }
        }
    }

    /// Runs `work` in the next turn of the event loop unless the host is gone by then.
    func execute(_ work: @escaping (LEHost) -> Void) {
        self.eventLoop.assumeIsolated().execute { [weak entry = self.entry] in
            if let host = entry?.host { work(host) }
        }
    }
}
