// A peripheral of the host alone, whose pairings a test can configure in ways that no app can.

import BluetoothTypes
import NIOCore
import Testbed

@testable import BluetoothHost
@testable import CoreBluetoothTesting

/// A peripheral with a secret that only an encrypted link can read.
final class SecretHost: LEHostDelegate {
    let host: LEHost
    /// Whether it asks each central for a pairing.
    let asks: Bool
    private(set) var pairings = 0
    private(set) var errors: [PairingError] = []
    private var bonds: [DeviceAddress: Bond] = [:]

    init(
        _ address: DeviceAddress,
        pairing: PairingConfiguration,
        isHidden: Bool = false,
        asks: Bool = false,
        in testbed: Testbed
    ) throws {
        self.asks = asks
        self.host = LEHost(
            eventLoop: testbed.loop,
            configuration: LEHostConfiguration(
                address: address,
                pairing: pairing,
                privacy: isHidden ? PrivacyConfiguration(rotationInterval: .seconds(900)) : nil
            )
        )
        self.host.delegate = self
        self.host.attach(to: testbed.air.makeController())
        let secret = GATTCharacteristicDefinition(
            uuid: 0xFFF1,
            properties: .read,
            permissions: .readEncryptionRequired,
            value: ByteBuffer(bytes: [42])
        )
        _ = try self.host.addService(GATTServiceDefinition(uuid: 0xFFF0, characteristics: [secret]))
        testbed.run(.seconds(1))
    }

    func advertise() {
        self.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
    }

    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer] }
    func host(_ host: LEHost, didConnect link: LinkInformation) {
        if self.asks { host.secure(link.id, to: .encrypted) }
    }
    /// It knows the central, which may not know it: keys are replaced.
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) { host.answer(.consent(true), on: link) }
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) { self.errors.append(error) }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        self.pairings += 1
        self.bonds[bond.identityAddress] = bond
    }
}
