// A peripheral that hides behind private addresses and distributes no identity when it pairs.

import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Bonds without identity")
struct UnidentifiedPeerTests {
    @Test(
        "a bond without identity encrypts links while the address lasts, and the next address is another device",
        arguments: [true, false]
    )
    func bond(distributesIdentity: Bool) throws {
        let testbed = Testbed()
        let curious = RestartableDevice("Curious", in: testbed)
        var app = testbed.central(on: curious.adapter)
        let keys: KeyDistribution = distributesIdentity ? [.encryptionKey, .identityKey] : [.encryptionKey]
        let device = try SecretHost(
            DeviceAddress(0xC0DE_0000_0001, kind: .random),
            pairing: PairingConfiguration(responderKeys: keys),
            isHidden: true,
            in: testbed
        )
        device.advertise()
        /// Finds the peripheral anew, reads its secret, and leaves.
        func read(_ known: CBPeripheral? = nil) throws -> CBPeripheral {
            let peripheral = try known ?? app.meet(in: testbed)
            #expect(try app.readSecret(of: peripheral, in: testbed) == Data([42]))
            app.disconnect(peripheral, in: testbed)
            return peripheral
        }
        let first = try read()
        _ = try read(first)
        #expect(device.pairings == 1)
        // On disk there is only what can be used after the process.
        #expect(curious.storage.bonds().count == (distributesIdentity ? 1 : 0))
        #expect(curious.storage.names.contains { $0.hasPrefix("use-") } == distributesIdentity)
        testbed.run(.seconds(1000))
        #expect((try read().identifier == first.identifier) == distributesIdentity)
        #expect(device.pairings == (distributesIdentity ? 1 : 2))
        // The next process does not know it either.
        curious.restart()
        app = testbed.central(on: curious.adapter)
        #expect(try read().identifier == first.identifier || !distributesIdentity)
        #expect(device.pairings == (distributesIdentity ? 1 : 3))
    }
}
