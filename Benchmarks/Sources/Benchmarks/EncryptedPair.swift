// Two hosts on one air in virtual time, without the façade, that pair, encrypt, and stream: the cost of security.

import BenchmarkSupport
import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Crypto
import NIOCore
import NIOEmbedded

final class EncryptedPair {
    /// One of the hosts, and its user's bonds.
    private final class Side: LEHostDelegate {
        let host: LEHost
        var bonds: [DeviceAddress: Bond] = [:]
        var link: LinkID?
        var pairings = 0
        var isEncrypted = false
        var received = 0
        var transmitted = 0

        init(_ loop: EmbeddedEventLoop, _ air: Air, _ address: UInt64) {
            let address = DeviceAddress(address, kind: .random)
            let identity = IdentityInformation(
                identityResolvingKey: Octets16(high: 1, low: address.value),
                address: address
            )
            self.host = LEHost(
                eventLoop: loop,
                configuration: LEHostConfiguration(
                    address: address,
                    preferredMTU: 247,
                    // Both ask for numbers to be compared, and pair again and again.
                    pairing: PairingConfiguration(
                        ioCapability: .displayYesNo,
                        prefersMITMProtection: true,
                        identity: identity,
                        consent: .never
                    )
                )
            )
            self.host.delegate = self
            self.host.attach(to: air.makeController())
        }

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer] }

        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }

        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
            self.link = nil
            self.isEncrypted = false
        }

        func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
            if case .compareNumbers = question { host.answer(.numbersMatch(true), on: link) }
        }

        func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
            expect(isBonded && bond.level == .secureConnections, "a bond of level 4")
            self.bonds[bond.identityAddress] = bond
            self.pairings += 1
        }

        func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) { expect(false, "\(error)") }

        func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity) {
            self.isEncrypted = security.key != nil
        }

        func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
            self.received += 1
        }
    }

    /// The result of a stream.
    struct Stream {
        var measurement: TimeMeasurement
        /// In virtual time, of the values alone.
        var kilobitsPerSecond: Double
    }

    static let valueLength = 244

    private let loop = EmbeddedEventLoop()
    private let air: Air
    private let central: Side
    private let peripheral: Side
    private let characteristic: AttributeHandle

    init(_ model: AirSettings) {
        self.air = Air(eventLoop: self.loop, settings: model, seed: 1)
        self.central = Side(self.loop, self.air, 0xC000_0000_0001)
        self.peripheral = Side(self.loop, self.air, 0xC000_0000_0002)
        let notifying = GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: [])
        let service = GATTServiceDefinition(uuid: 0xA000, characteristics: [notifying])
        guard let handles = try? self.peripheral.host.addService(service) else {
            preconditionFailure("the database is empty")
        }
        self.characteristic = handles.characteristics[0].value
        self.run(until: "the controllers are ready") {
            self.central.host.state == .ready && self.peripheral.host.state == .ready
        }
        self.peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        self.connect()
    }

    private func run(until what: String, step: TimeAmount = .milliseconds(1), _ condition: () -> Bool) {
        for _ in 0..<100_000 {
            if condition() { return }
            self.loop.advanceTime(by: step)
        }
        expect(false, "not within the time: \(what)")
    }

    private func connect() {
        self.central.host.connect(to: DeviceAddress(0xC000_0000_0002, kind: .random))
        self.run(until: "they are connected") { self.central.link != nil && self.peripheral.link != nil }
    }

    /// Pairs once more, from the Pairing Request to the last key.
    func pair() {
        guard let link = self.central.link else { return }
        let wanted = self.central.pairings + 1
        self.central.host.pair(link, level: .secureConnections)
        self.run(until: "they have paired") {
            self.central.pairings == wanted && self.peripheral.pairings == wanted
        }
    }

    /// Ends the link, connects, and waits for the encryption with the bond's key, if there is one.
    func reconnect() {
        guard let link = self.central.link else { return }
        self.central.host.disconnect(link)
        self.run(until: "the link has ended") { self.central.link == nil && self.peripheral.link == nil }
        self.connect()
        let isBonded = !self.central.bonds.isEmpty
        self.run(until: "the link is encrypted") {
            self.central.isEncrypted == isBonded && self.peripheral.isEncrypted == isBonded
        }
    }

    /// Notifies `count` values as fast as they go.
    func stream(_ count: Int) -> Stream {
        guard let central = self.central.link, let peripheral = self.peripheral.link else {
            preconditionFailure("there is a link")
        }
        var isSubscribed = false
        self.central.host.perform(WriteValue(ByteBuffer(bytes: [1, 0]), to: self.characteristic + 1), on: central) {
            _ in
            isSubscribed = true
        }
        self.run(until: "the central is subscribed") { isSubscribed }
        // The MTU, the PHY and the length of packets are agreed on meanwhile.
        self.loop.advanceTime(by: .seconds(5))
        let value = ByteBuffer(repeating: 0xA5, count: Self.valueLength)
        let before = self.central.received
        let start = self.loop.now
        let measurement = Meter.measure(count: count) {
            for _ in 0..<count {
                self.peripheral.host.notify(value, characteristic: self.characteristic, to: peripheral)
            }
            self.run(until: "all values are there", step: .microseconds(500)) {
                self.central.received - before == count
            }
        }
        let seconds = Double((self.loop.now - start).nanoseconds) / 1e9
        let bits = Double(count * Self.valueLength * 8)
        return Stream(measurement: measurement, kilobitsPerSecond: bits / seconds / 1000)
    }

    // MARK: Cases

    /// The cost of P-256 alone for one side of a pairing: a key pair, and the secret that is shared with the peer.
    static func curve(count: Int) -> TimeMeasurement {
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        return Meter.measure(count: count) {
            for _ in 0..<count {
                let secret = try? P256.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: peer)
                expect(secret != nil, "a shared secret")
            }
        }
    }
}
