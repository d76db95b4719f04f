// The end of a controller that comes from the controller itself: the host of the device hears of it, with the reason.

import BluetoothHCI
import Testing

@testable import CoreBluetoothTesting

@Suite("The end of a world's controller")
struct WatchedChannelEndTests {
    /// Notes the reasons for which a channel was closed.
    private final class Ends: HCIChannelReceiver {
        private(set) var reasons: [String] = []

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {}
        func channelDidFinishBatch(_ channel: any HCIChannel) {}
        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.reasons.append(reason) }
    }

    @Test("A controller that closes its channel says so to the host, also of a device that does not respond")
    func closed() {
        for isUnresponsive in [false, true] {
            let world = World(seed: 1)
            let phone = world.addDevice("phone")
            let (channel, ends) = (phone.makeChannel(), Ends())
            channel.start(receiver: ends)
            phone.isUnresponsive = isUnresponsive
            channel.channel(channel, didCloseBecause: "it is broken")
            #expect(ends.reasons == ["it is broken"])
            withExtendedLifetime((world, channel, ends)) {}
        }
    }
}
