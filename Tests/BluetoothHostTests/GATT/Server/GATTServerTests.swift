// The built-in services, and the default limits of a server.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server")
struct GATTServerTests {
    /// The fixed value of an attribute.
    private static func value(_ handle: AttributeHandle, of server: GATTServer) -> String? {
        guard let index = server.database.index(of: handle),
            case .fixed(let value) = server.database.attributes[index].content
        else { return nil }
        return hex(value)
    }

    // MARK: Limits

    private static func served() throws -> GATTServerScript {
        var runner = try GATTServerScript()
        runner.run("exchange 517\nsubscribe 001A")
        return runner
    }

    @Test("queues 128 parts of values")
    func parts() throws {
        var runner = try Self.served()
        runner.run(Array(repeating: "prepare 13 00 00 00 AA\n", count: 128).joined())
        runner.run("> 16 13 00 00 00 AA\n< 01 16 13 00 09\n> 18 00\n< 19\nprepare 13 00 00 00 AA")
    }

    @Test("queues 8,192 octets of parts")
    func octetsOfParts() throws {
        var runner = try Self.served()
        runner.run(Array(repeating: "prepare 13 00 00 00 AA*510\n", count: 16).joined())
        runner.run("> 16 13 00 00 00 AA*33\n< 01 16 13 00 09\nprepare 13 00 00 00 AA*32")
    }

    @Test("queues 256 indications behind the one that is not confirmed")
    func indications() throws {
        var runner = try Self.served()
        runner.run("notify 001A 01\n< 1D 1A 00 01\n" + Array(repeating: "notify 001A 02\n", count: 256).joined())
        runner.run("notify 001A 03\n? dropped 1\n> 1E\n? confirmed 001A\n< 1D 1A 00 02\nnotify 001A 04")
    }

    @Test("takes keys of seven octets and no shorter ones")
    func keySize() throws {
        var runner = try Self.served()
        runner.run("security encrypted 6\n> 0A 1D 00\n< 01 0A 1D 00 0C")
        runner.run("security encrypted 7\n> 0A 1D 00\n? read 001D @0")
    }

    // MARK: Built-in services

    @Test(
        "cuts the name between characters, to 248 octets",
        arguments: [("", 0), ("a", 1), (String(repeating: "é", count: 124), 248)]
            + [(String(repeating: "é", count: 125), 248), ("a" + String(repeating: "é", count: 124), 247)]
    )
    func name(name: String, length: Int) {
        var server = GATTServer(configuration: .init(deviceName: name))
        let value = hex(ByteBuffer(bytes: name.utf8.prefix(length)))
        #expect(Self.value(3, of: server) == value)
        var other = GATTServer(configuration: .init(deviceName: "Ball"))
        let (hash, otherHash) = (server.database.hash(), other.database.hash())
        #expect(hash == otherHash, "a name is no part of the database's hash")
    }

    @Test("declares its services (Vol 3, Part C, 12; Vol 3, Part G, 7)", arguments: [false, true])
    func declarations(hasPrivacy: Bool) {
        let server = GATTServer(configuration: .init(appearance: 0x1234, hasPrivacy: hasPrivacy))
        let common: [String?] = ["00 18", "02 03 00 00 2A", "", "02 05 00 01 2A", "34 12"]
        let rest: [String?] =
            hasPrivacy
            ? [
                "02 07 00 A6 2A", "00", "02 09 00 C9 2A", "00", "01 18", "20 0C 00 05 2A", "", nil, "0A 0F 00 29 2B",
                nil, "02 11 00 2A 2B", nil,
            ]
            : ["01 18", "20 08 00 05 2A", "", nil, "0A 0B 00 29 2B", nil, "02 0D 00 2A 2B", nil]
        #expect(server.database.attributes.map { Self.value($0.handle, of: server) } == common + rest)
        #expect(server.database.attributes.allSatisfy { $0.readSecurity == .none && $0.writeSecurity == .none })
    }

    @Test("says whether it resolves addresses if it hides itself")
    func addressResolution() {
        var server = GATTServer(configuration: .init(hasPrivacy: true))
        for isSupported in [true, false] {
            server.setCentralAddressResolution(isSupported)
            #expect(Self.value(7, of: server) == (isSupported ? "01" : "00"))
            #expect(Self.value(9, of: server) == "00", "Resolvable Private Address Only does not change")
        }
    }

    @Test(
        "keeps the built-in services that the device has, and removes the first one behind them",
        arguments: [
            (.absent, []), (.empty, [0x2800]), (.serviceChanged, [0x2800, 0x2803, 0x2A05, 0x2902]),
            (.full, [0x2800, 0x2803, 0x2A05, 0x2902, 0x2803, 0x2B29, 0x2803, 0x2B2A]),
        ] as [(GenericAttributeService, [UInt16])],
        [false, true]
    )
    func builtIn(service: (GenericAttributeService, [UInt16]), hasPrivacy: Bool) throws {
        let access: [UInt16] = [0x2800, 0x2803, 0x2A00, 0x2803, 0x2A01]
        let privacy: [UInt16] = hasPrivacy ? [0x2803, 0x2AA6, 0x2803, 0x2AC9] : []
        var server = GATTServer(configuration: .init(hasPrivacy: hasPrivacy, genericAttribute: service.0))
        #expect(server.database.attributes.map(\.shortType) == access + privacy + service.1)
        let changed = server.database.attributes.first { $0.shortType == 0x2A05 }
        #expect(server.serviceChangedHandle == changed?.handle ?? 0)
        let last = AttributeHandle(server.database.attributes.count)
        for handle in 0...last { #expect(server.remove(handle) == nil) }
        let added = try server.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [])).range
        #expect(added == last + 1...last + 1 && server.remove(last + 1) == added)
    }
}
