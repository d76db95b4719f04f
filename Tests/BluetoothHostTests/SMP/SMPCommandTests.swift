import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("SMP commands")
struct SMPCommandTests {
    static let features = PairingFeatures(
        ioCapability: .keyboardDisplay,
        hasOutOfBandData: true,
        authentication: AuthenticationRequirements(rawValue: 0xED),
        maximumKeySize: 16,
        initiatorKeys: KeyDistribution(rawValue: 0x8F),
        responderKeys: [.encryptionKey, .identityKey]
    )
    static let value = octets16("0F0E0D0C0B0A09080706050403020100")
    static let commands: [(SMPCommand, String)] = [
        // Reserved bits are kept: the other side confirms them.
        (.pairingRequest(features), "01 04 01 ED 10 8F 03"),
        (.pairingResponse(features), "02 04 01 ED 10 8F 03"),
        (.pairingConfirm(value), "03 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
        (.pairingRandom(value), "04 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
        (.pairingFailed(.keyRejected), "05 0F"),
        (.encryptionInformation(value), "06 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
        (
            .centralIdentification(encryptedDiversifier: 0x1234, random: 0x0102_0304_0506_0708),
            "07 34 12 08 07 06 05 04 03 02 01"
        ),
        (.identityInformation(value), "08 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
        (
            .identityAddressInformation(DeviceAddress(0xC011_2233_4455, kind: .random)),
            "09 01 55 44 33 22 11 C0"
        ),
        (
            .identityAddressInformation(DeviceAddress(0x0011_2233_4455, kind: .public)),
            "09 00 55 44 33 22 11 00"
        ),
        (.signingInformation(value), "0A 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
        (.securityRequest([.bonding, .mitm, .secureConnections]), "0B 0D"),
        (
            .pairingPublicKey(SampleData.publicA),
            "0C E6 9D 35 0E 48 01 03 CC DB FD F4 AC 11 91 F4 EF B9 A5 F9 E9 A7 83 2C 5E 2C BE 97 F2 D2 03 B0 20"
                + " 8B D2 89 15 D0 8E 1C 74 24 30 ED 8F C2 45 63 76 5C 15 52 5A BF 9A 32 63 6D EB 2A 65 49 9C 80 DC"
        ),
        (.pairingDHKeyCheck(value), "0D 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
        (.pairingKeypressNotification(.entryCompleted), "0E 04"),
    ]

    @Test("is read and written, and rejected if it is too short or too long", arguments: 0..<15)
    func codec(_ index: Int) throws {
        let (command, text) = Self.commands[index]
        let octets = hex(text)
        #expect(hex(command.encoded()) == hex(octets))
        #expect(command.encoded().readerIndex == PDUBuffer.headroom)
        #expect(try SMPCommand(parsing: octets) == command)
        for length in 0..<octets.readableBytes {
            let short = try #require(octets.getSlice(at: octets.readerIndex, length: length))
            #expect(throws: MalformedBytes.self) { try SMPCommand(parsing: short) }
        }
        for excess in [1, 2, 64] {
            var long = octets
            long.writeRepeatingByte(0, count: excess)
            #expect(throws: MalformedBytes.self) { try SMPCommand(parsing: long) }
        }
    }

    @Test(
        "rejects parameters out of range",
        arguments: [
            "01 05 00 00 10 00 00", "01 FF 00 00 10 00 00", "01 03 02 00 10 00 00", "02 03 FF 00 10 00 00",
            "01 03 00 00 06 00 00", "02 03 00 00 00 00 00", "02 03 00 00 11 00 00", "01 03 00 00 FF 00 00",
            // Address types other than 0 and 1; a random address that is not static.
            "09 02 55 44 33 22 11 C0", "09 FF 55 44 33 22 11 C0", "09 01 55 44 33 22 11 40",
            "09 01 55 44 33 22 11 00", "09 01 55 44 33 22 11 80", "0E 05", "0E FF",
        ]
    )
    func invalid(_ text: String) {
        #expect(throws: MalformedBytes.self) { try SMPCommand(parsing: hex(text)) }
    }

    @Test("keeps a reserved code, whatever follows it", arguments: [0x00, 0x0F, 0x10, 0x7F, 0xFF])
    func reserved(_ code: UInt8) throws {
        for count in [0, 1, 64, 500] {
            var octets = ByteBuffer(bytes: [code])
            octets.writeRepeatingByte(0xA5, count: count)
            #expect(try SMPCommand(parsing: octets) == .unknown(SMPCode(rawValue: code)))
        }
    }
}

@Suite("SMP commands: simulation")
struct SMPCommandSimulationTests {
    @Test("writes what it has read, and rejects the rest", arguments: simulationSeeds(2))
    func random(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        for _ in 0..<2_000 {
            let (command, _) = choices.pick(SMPCommandTests.commands)
            var octets = Array(command.encoded().readableBytesView)
            if choices.once(in: 8) { octets.append(0) }
            if choices.once(in: 8) { octets.removeLast(choices.below(octets.count)) }
            for _ in 0..<choices.below(4) { octets[choices.below(octets.count)] = UInt8(choices.below(256)) }
            guard let read = try? SMPCommand(parsing: ByteBuffer(bytes: octets)) else { continue }
            if case .unknown = read { continue }
            #expect(Array(read.encoded().readableBytesView) == octets)
        }
    }
}
