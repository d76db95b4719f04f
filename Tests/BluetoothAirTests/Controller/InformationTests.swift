import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Information")
struct InformationTests {
    @Test("reads version, features and buffers")
    func information() throws {
        let host = AirTestbed().host {
            $0.model.aclDataPacketCount = 12
            $0.model.aclDataPacketLength = 100
        }
        let version = try #require(host.run(ReadLocalVersionInformation()))
        #expect(version.company == 0xFFFF && version.hciVersion == version.linkLayerVersion)
        let buffers = try #require(host.run(LEReadBufferSize()))
        #expect(buffers.aclDataPacketLength == 100 && buffers.aclDataPacketCount == 12)
        #expect(host.run(LEReadBufferSizeV2())?.aclDataPacketCount == 12)
        #expect(host.run(LEReadBufferSizeV2())?.isochronousDataPacketCount == 0)
        #expect(host.run(ReadBufferSize())?.aclDataPacketCount == 12)
        #expect(host.run(ReadLocalSupportedFeatures())?.features == [.bredrNotSupported, .leSupported])
        #expect(host.run(LEReadSupportedStates())?.states == .all)
        #expect(host.run(LEReadMaximumDataLength())?.transmitOctets == 251)
        #expect(host.run(LEReadTransmitPower())?.maximum == 10)
    }

    @Test("public addresses are not zero, differ, and depend on the seed")
    func addresses() throws {
        func addresses(seed: UInt64) -> [DeviceAddress] {
            let testbed = AirTestbed(seed: seed)
            return (0..<50).compactMap { _ in testbed.host().run(ReadBDADDR())?.address }
        }
        let first = addresses(seed: 7)
        #expect(Set(first).count == 50)
        #expect(!first.contains(.none))
        #expect(first == addresses(seed: 7))
        #expect(first != addresses(seed: 8))
        #expect(first.allSatisfy { $0.kind == .public && $0.value >> 40 == 0x02 })
    }

    @Test("random numbers depend on the seed, and differ between controllers")
    func random() {
        func numbers(seed: UInt64) -> [UInt64] {
            let testbed = AirTestbed(seed: seed)
            let hosts = [testbed.host(), testbed.host()]
            return hosts.flatMap { host in (0..<10).compactMap { _ in host.run(LERand())?.number } }
        }
        #expect(numbers(seed: 1) == numbers(seed: 1))
        #expect(numbers(seed: 1) != numbers(seed: 2))
        #expect(Set(numbers(seed: 1)).count == 20)
    }

    @Test("encrypts with AES (FIPS 197, appendix B)")
    func encrypt() throws {
        let octets = try ["2B7E151628AED2A6ABF7158809CF4F3C", "3243F6A8885A308D313198A2E0370734"].map {
            try #require(Octets16(mostSignificantFirst: ByteBuffer(hex: $0).readableBytesView))
        }
        let cipher = AirTestbed().host().run(LEEncrypt(key: octets[0], plaintext: octets[1]))?.ciphertext
        #expect(cipher?.description == "3925841D02DC09FBDC118597196A0B32")
    }

    @Test("two controllers agree on a P-256 secret")
    func keyAgreement() throws {
        let testbed = AirTestbed()
        let hosts = [testbed.host(), testbed.host()]
        hosts[0].refused(LEGenerateDHKey(x: .zero, y: .zero), .commandDisallowed)
        let keys = try hosts.map { host in
            host.ok(LEReadLocalP256PublicKey())
            return try #require(host.take(LEReadLocalP256PublicKeyComplete.self))
        }
        #expect(keys[0].x != keys[1].x)
        hosts[0].ok(LEGenerateDHKey(x: keys[1].x, y: keys[1].y))
        hosts[1].ok(LEGenerateDHKeyV2(x: keys[0].x, y: keys[0].y))
        let secrets = try hosts.map { try #require($0.take(LEGenerateDHKeyComplete.self)) }
        #expect(secrets[0].status == .success)
        #expect(secrets[0].key == secrets[1].key)
        #expect(secrets[0].key != .zero)
        hosts[0].refused(
            LEGenerateDHKeyV2(x: keys[1].x, y: keys[1].y, keyType: P256KeyType(rawValue: 2)),
            .invalidParameters
        )
    }

    /// Vol 2, Part G, 7.1.2.1: the private key of the first device is the debug key.
    @Test("computes the P-256 sample data of the specification (Vol 2, Part G, 7.1.2.1)")
    func sampleKeys() throws {
        func octets(_ text: String) -> Octets32? {
            Octets32(mostSignificantFirst: ByteBuffer(hex: text).readableBytesView)
        }
        let x = try #require(octets("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"))
        let y = try #require(octets("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"))
        let host = AirTestbed().host()
        host.ok(LEGenerateDHKeyV2(x: x, y: y, keyType: .debug))
        let event = try #require(host.take(LEGenerateDHKeyComplete.self))
        #expect(event.status == .success)
        #expect(event.key == octets("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"))
        // With another X the point is not on the curve, and there is no key (Vol 3, Part H, 2.3.5.6.1).
        host.ok(LEGenerateDHKeyV2(x: Octets32(high: x.high, low: .zero), y: y, keyType: .debug))
        #expect(host.take(LEGenerateDHKeyComplete.self)?.status == .invalidParameters)
    }

    @Test("keeps settings, refuses invalid ones, and clears them on reset")
    func settings() {
        let host = AirTestbed().host()
        func expect(length: [UInt16], isLESupported: Bool, compensation: [Int16]) {
            let suggested = host.run(LEReadSuggestedDefaultDataLength())
            #expect(suggested.map { [$0.transmitOctets, $0.transmitTime] } == length)
            #expect(host.run(ReadLEHostSupport())?.isLESupported == isLESupported)
            let read = host.run(LEReadRFPathCompensation())
            #expect(read.map { [$0.transmitCompensation, $0.receiveCompensation] } == compensation)
        }
        host.ok(LEWriteSuggestedDefaultDataLength(transmitOctets: 100, transmitTime: 1_000))
        host.ok(WriteLEHostSupport(isLESupported: true, unused: 0))
        host.ok(LEWriteRFPathCompensation(transmitCompensation: -5, receiveCompensation: 7))
        expect(length: [100, 1_000], isLESupported: true, compensation: [-5, 7])
        host.refused(LESetHostFeature(bit: 32, isSupported: true), .unsupportedFeature)
        host.refused(LESetHostChannelClassification(channels: 0), .invalidParameters)
        host.ok(Reset())
        expect(length: [27, 328], isLESupported: false, compensation: [0, 0])
    }

    @Test("checks the ranges of LE Write RF Path Compensation and LE Set Host Feature (7.8.76, 7.8.115)")
    func compensationAndHostFeature() {
        for (transmit, receive, isAllowed) in [
            (-1_280, 1_280, true), (1_280, -1_280, true), (-1_281, 0, false), (1_281, 0, false), (0, -1_281, false),
            (0, 1_281, false),
        ] as [(Int16, Int16, Bool)] {
            let command = LEWriteRFPathCompensation(transmitCompensation: transmit, receiveCompensation: receive)
            #expect(freshStatus(command) == (isAllowed ? .success : .invalidParameters), "\(transmit) \(receive)")
        }
        #expect(freshStatus(LESetHostFeature(bit: 63, isSupported: true)) == .unsupportedFeature)
        #expect(freshStatus(LESetHostFeature(bit: 64, isSupported: true)) == .invalidParameters)
    }
}
