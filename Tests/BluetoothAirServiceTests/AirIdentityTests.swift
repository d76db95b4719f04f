import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothAirService

@Suite("Identities on an air")
struct AirIdentityTests {
    let folder: TemporaryFolder
    let log = LogLines(level: .info)
    let store: AirIdentityStore

    init() throws {
        self.folder = try TemporaryFolder()
        self.store = try AirIdentityStore(folder: self.folder.path, logger: self.log.logger)
    }

    @Test("a program has the same address in each run; a second process at the same time has the second one")
    func programs() throws {
        var first: AirIdentity? = try self.store.claim(program: "eightball")
        var second: AirIdentity? = try self.store.claim(program: "eightball")
        let other = try self.store.claim(program: "blueear")
        let addresses = try [#require(first).address, #require(second).address, other.address]
        #expect(Set(addresses).count == 3)
        #expect(addresses.allSatisfy { $0.randomKind == .static })
        #expect(first?.name == "eightball")
        #expect(second?.name == "eightball 2")
        first = nil
        #expect(try self.store.claim(program: "eightball").address == addresses[0])
        second = nil
        let again = try (0..<2).map { _ in try self.store.claim(program: "eightball") }
        #expect(again.map(\.address) == Array(addresses[..<2]))
        #expect(self.log.lines.value.isEmpty)
    }

    @Test("the file of an identity is JSON that a person can read")
    func file() throws {
        let address = try self.store.claim(name: "crystal").address
        #expect(
            try String(contentsOfFile: self.folder("name-crystal.json"), encoding: .utf8) == """
                {
                  "address" : "\(address)",
                  "name" : "crystal",
                  "version" : 1
                }

                """
        )
    }

    @Test("a named identity belongs to one adapter at a time")
    func names() throws {
        var crystal: AirIdentity? = try self.store.claim(name: "crystal")
        let address = try #require(crystal).address
        let error = #expect(throws: TransportError.self) { try self.store.claim(name: "crystal") }
        #expect(error?.code == .inUse)
        #expect(
            error?.message
                == "the identity \"crystal\" is in use by another adapter of this process: end that or choose another name"
        )
        crystal = nil
        #expect(try self.store.claim(name: "crystal").address == address)
        // A name and a program with that name are two devices.
        #expect(try self.store.claim(program: "crystal").address != address)
    }

    @Test("any name is a file in the folder and nowhere else")
    func oddNames() throws {
        let names = ["../up", "/etc/x", ".", "..", "a b", "a%20b", "Äther", "\u{1F3B1}", "a\0b", "A", "a", "a.", "-"]
        let identities = try names.map { try self.store.claim(name: $0) }
        #expect(Set(identities.map(\.address)).count == names.count)
        #expect(self.folder.content.count == 2 * names.count)
        #expect(self.folder.content.allSatisfy { $0.hasPrefix("name-") })
        #expect(try self.store.claim(program: String(repeating: "/", count: 5_000)).address.randomKind == .static)
    }

    @Test(
        "a truncated or foreign file is set aside and logged, and the address is new",
        arguments: [
            "", "{", "{\"version\":1,\"name\":\"x\"}", "null", "[]",
            "{\"version\":2,\"name\":\"x\",\"address\":\"C0:11:22:33:44:55\"}",
            "{\"version\":1,\"name\":\"x\",\"address\":\"40:11:22:33:44:55\"}",
            "{\"version\":1,\"name\":\"x\",\"address\":\"C0:11:22:33:44\"}",
            String(repeating: "x", count: 100_000),
        ]
    )
    func damaged(text: String) throws {
        let path = self.folder("name-crystal.json")
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let address = try self.store.claim(name: "crystal").address
        #expect(self.log.lines.value.count == 1)
        #expect(self.log.lines.value.first?.contains("was set aside as \(path).bad") == true)
        #expect(try String(contentsOfFile: "\(path).bad", encoding: .utf8) == text)
        #expect(try self.store.claim(name: "crystal").address == address)
        #expect(self.log.lines.value.count == 1)
    }

    @Test("every truncated file results in an address, and never in a trap")
    func torn() throws {
        let path = self.folder("name-crystal.json")
        let address = try self.store.claim(name: "crystal").address
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for length in 0..<whole.count - 2 {
            try whole.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(try self.store.claim(name: "crystal").address != address)
        }
        try whole.write(to: URL(fileURLWithPath: path))
        #expect(try self.store.claim(name: "crystal").address == address)
    }

    @Test("gives an address for this run if nothing can be written, and logs it")
    func notWritable() throws {
        mkdir(self.folder("name-crystal.json.new-\(getpid())"), 0o700)
        let identity = try self.store.claim(name: "crystal")
        #expect(identity.address.randomKind == .static)
        #expect(self.log.lines.value.count == 1)
        #expect(self.log.lines.value.first?.contains("lasts for this run only") == true)
        #expect(throws: TransportError.self) {
            try AirIdentityStore(folder: self.folder("name-crystal.lock/x"), logger: self.log.logger)
        }
    }

    @Test("identities are named by their addresses, in use or not, from files of up to 4,096 octets")
    func namesByAddress() throws {
        let (crystal, program) = (try self.store.claim(name: "crystal"), try self.store.claim(program: "eightball"))
        try self.pad("name-crystal.json", to: 4096)
        #expect(try self.store.names() == [crystal.address: "crystal", program.address: "eightball"])
        try self.pad("name-crystal.json", to: 4097)
        for name in ["program-other.json", "name-crystal.json.bad"] {
            try Data("{}".utf8).write(to: URL(fileURLWithPath: self.folder(name)))
        }
        #expect(try self.store.names() == [program.address: "eightball"])
    }

    @Test(
        "a file of 4,096 octets is an identity, a longer one is not",
        arguments: [(4096, true), (4097, false)]
    )
    func longFile(octetCount: Int, isKept: Bool) throws {
        let address = try self.store.claim(name: "crystal").address
        try self.pad("name-crystal.json", to: octetCount)
        #expect(try (self.store.claim(name: "crystal").address == address) == isKept)
        #expect(FileManager.default.fileExists(atPath: self.folder("name-crystal.json.bad")) == !isKept)
    }

    /// Fills a file with spaces, which JSON allows.
    private func pad(_ file: String, to octetCount: Int) throws {
        var octets = try Data(contentsOf: URL(fileURLWithPath: self.folder(file)))
        octets.append(Data(repeating: 0x20, count: octetCount - octets.count))
        try octets.write(to: URL(fileURLWithPath: self.folder(file)))
    }

    @Test("only the first 64 octets of a program's name count", arguments: [63, 64, 65])
    func programNames(octetCount: Int) throws {
        let identity = try self.store.claim(program: String(repeating: "x", count: octetCount))
        let name = String(repeating: "x", count: min(octetCount, 64))
        #expect(identity.name == name)
        #expect(self.folder.content == ["program-\(name)-1.json", "program-\(name)-1.lock"])
        #expect(try self.store.claim(program: name + "y").name == (octetCount < 64 ? name + "y" : name + " 2"))
        withExtendedLifetime(identity) {}
    }

    @Test("a file without a valid address, and one that is not JSON, have no name")
    func namesOfOthers() throws {
        let store = self.store
        let crystal = try store.claim(name: "crystal")
        let whole = "{\"version\":1,\"name\":\"x\",\"address\":\"C0:11:22:33:44:55\"}"
        for (file, text) in [
            ("name-a.json", "{\"version\":1,\"name\":\"a\",\"address\":\"C0:11:22:33:44\"}"), ("name-b.txt", whole),
            ("name-c.json", "{\"version\":1,\"name\":\"c\"}"),
        ] {
            try text.write(toFile: self.folder(file), atomically: false, encoding: .utf8)
        }
        #expect(try store.names() == [crystal.address: "crystal"])
        try whole.write(toFile: self.folder("name-d.json"), atomically: false, encoding: .utf8)
        let address = DeviceAddress(0xC011_2233_4455, kind: .random)
        #expect(try store.names() == [crystal.address: "crystal", address: "x"])
    }

    @Test("a name has 1 to 64 octets, however many characters they are")
    func nameLengths() throws {
        let store = self.store
        let longest = try store.claim(name: String(repeating: "\u{E9}", count: 32))
        #expect(longest.name.utf8.count == 64)
        for (name, count) in [("", 0), (String(repeating: "\u{E9}", count: 32) + "x", 65)] {
            let error = #expect(throws: TransportError.self) { try store.claim(name: name) }
            #expect(error?.code == .badName)
            #expect(error?.message == "the identity has \(count) octets: give it 1 to 64")
        }
    }

    @Test("4,096 processes of a program have an identity at the same time, and one more is refused")
    func processes() throws {
        let folder = try TemporaryFolder()
        let store = try AirIdentityStore(folder: folder.path, logger: LogLines().logger)
        let lock = try #require(try FileLock.take(folder("program-p-1.lock")))
        for number in 2...4095 {
            try FileManager.default.linkItem(
                atPath: folder("program-p-1.lock"),
                toPath: folder("program-p-\(number).lock")
            )
        }
        let last = try store.claim(program: "p")
        #expect(last.name == "p 4096")
        let error = #expect(throws: TransportError.self) { try store.claim(program: "p") }
        #expect(error?.code == .inUse)
        #expect(error?.message == "4096 processes of p are running: end some")
        withExtendedLifetime(last) {}
        withExtendedLifetime(lock) {}
    }
}
