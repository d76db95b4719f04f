// The limits that the documentation names: a change of one of them is a change of what apps can rely on.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Limits")
struct LimitsTests {
    @Test("between apps and the event loop")
    func bridge() {
        #expect(TransmitWindow.size == 64 && Mailbox<Int>.batchLimit == 256)
        #expect(ReceiveWindow.size == 131_072 && ReceiveWindow.limit == 4_194_304)
        #expect(Discovery.size == 512 && CentralEvent.deferredLimit == 1_000)
        #expect(SendBuffer.limit == 131_072 && UnclaimedChannels.limit == 64)
    }

    @Test("of what is remembered")
    func memory() {
        #expect(DiscoveryReports.capacity == 1_024 && IdentityStore.capacity == 8_192 && IdentityFile.capacity == 2_048)
        #expect(RemoteDatabase.capacity == 4_096 && Invalidations.limit == 256 && Peer.validationLimit == 16)
        #expect(BondStore.passingCapacity == 32)
    }

    @Test("of time")
    func time() {
        #expect(ControllerSupervision.stabilityInterval == .seconds(2))
        #expect(ControllerSupervision.retryDelays == .milliseconds(25)...TimeAmount.seconds(2))
        #expect(AdapterCore.shutdownLimit == .milliseconds(750))
        #expect(BluetoothAdapter.Configuration.Privacy.intervals == .seconds(1)...Duration.seconds(3_600))
    }

    @Test("of names beside other content")
    func names() {
        #expect(AdvertisedName.limit == 10 && AdvertisedName.limitBesideOverflowArea == 8)
    }
}
