import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Device address")
struct DeviceAddressTests {
    @Test("writes text and octets")
    func textAndOctets() throws {
        let address = try #require(DeviceAddress("C0:11:22:33:44:55", kind: .random))
        #expect(address.value == 0xC011_2233_4455)
        #expect(address.description == "C0:11:22:33:44:55")
        var bytes = ByteBuffer()
        address.encode(into: &bytes)
        #expect(bytes.hex == "55 44 33 22 11 C0")
        #expect(try DeviceAddress(parsing: &bytes, kind: .random) == address)
        #expect(throws: MalformedBytes(.truncated, "Address")) { try DeviceAddress(parsing: &bytes, kind: .random) }
    }

    @Test(
        "rejects other text",
        arguments: [
            "", "C0:11:22:33:44", "C0:11:22:33:44:5", "C0:11:22:33:44:5G", "+1:11:22:33:44:55", "C0:11:22:33:44:55:",
            ":C0:11:22:33:44:55", "C0::11:22:33:44:55", "C0:11:22:33:44::55", "::::::", "C0:11:22:33:44:55:66",
        ]
    )
    func wrongText(text: String) { #expect(DeviceAddress(text, kind: .public) == nil) }

    @Test("an address has 48 bits, and is read completely or not at all")
    func width() throws {
        #expect(DeviceAddress(0x1_C011_2233_4455, kind: .random) == DeviceAddress(0xC011_2233_4455, kind: .random))
        var bytes = ByteBuffer(hex: "55 44 33 22 11")
        #expect(throws: MalformedBytes(.truncated, "Address")) { try DeviceAddress(parsing: &bytes, kind: .public) }
        #expect(bytes.readableBytes == 5)
        #expect(DeviceAddress.Kind.allCases.map { DeviceAddress(1, kind: $0).isRandom } == [false, true, false, true])
    }

    @Test("tells the kind of a random address by its two upper bits")
    func randomKinds() {
        #expect(DeviceAddress(0xC000_0000_0001, kind: .random).randomKind == .static)
        #expect(DeviceAddress(0x4000_0000_0001, kind: .random).randomKind == .resolvablePrivate)
        #expect(DeviceAddress(0x0000_0000_0001, kind: .random).randomKind == .nonResolvablePrivate)
        #expect(DeviceAddress(0x8000_0000_0001, kind: .random).randomKind == .reserved)
        #expect(DeviceAddress(0xC000_0000_0001, kind: .public).randomKind == nil)
        #expect(DeviceAddress(1, kind: .randomIdentity).withoutIdentity == DeviceAddress(1, kind: .random))
        #expect(DeviceAddress(1, kind: .publicIdentity).withoutIdentity == DeviceAddress(1, kind: .public))
    }

    @Test("generated addresses are static, differ, and depend only on the seed")
    func randomStatic() {
        var first = SeededGenerator(seed: 1)
        var second = SeededGenerator(seed: 1)
        let addresses = (0..<100).map { _ in DeviceAddress.randomStatic(using: &first) }
        #expect(addresses == (0..<100).map { _ in DeviceAddress.randomStatic(using: &second) })
        #expect(addresses.allSatisfy { $0.randomKind == .static })
        #expect(Set(addresses).count == 100)
    }

    private struct ConstantGenerator: RandomNumberGenerator {
        let word: UInt64
        func next() -> UInt64 { self.word }
    }

    @Test("generates static addresses whose random part is neither all zeros nor all ones")
    func randomParts() {
        for word in [0, 1, 0x3FFF_FFFF_FFFE, 0x3FFF_FFFF_FFFF, 0x4000_0000_0000, 0x7FFF_FFFF_FFFF, .max] as [UInt64] {
            var generator = ConstantGenerator(word: word)
            let address = DeviceAddress.randomStatic(using: &generator)
            let part = address.value & 0x3FFF_FFFF_FFFF
            #expect(address.randomKind == .static && part != 0 && part != 0x3FFF_FFFF_FFFF)
            #expect(DeviceAddress(address.description, kind: .random) == address)
        }
    }
}
