// What the files of identities and of the user's air say: to whom a name belongs, which process serves, and what is
// wrong with a name.

import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothAirService

@Suite("Files of identities and of the user's air")
struct AirFilesTests {
    private let folder: TemporaryFolder
    private let log = LogLines(level: .info)

    init() throws { self.folder = try TemporaryFolder() }

    private func store() throws -> AirIdentityStore {
        try AirIdentityStore(folder: self.folder.path, logger: self.log.logger)
    }

    @Test("Processes of a program that run at the same time are numbered from the second one on")
    func programs() throws {
        let store = try self.store()
        let identities = try (0..<4).map { _ in try store.claim(program: "eightball") }
        #expect(identities.map(\.name) == ["eightball", "eightball 2", "eightball 3", "eightball 4"])
        #expect(Set(identities.map(\.address)).count == 4)
        let names = try store.names()
        #expect(identities.allSatisfy { names[$0.address] == $0.name } && names.count == 4)
        #expect(
            self.folder.content.filter { $0.hasSuffix(".json") }
                == (1...4).map { "program-eightball-\($0).json" }
        )
    }

    @Test("A file whose address is none, and one that is no JSON file, name nothing")
    func namesOfOthers() throws {
        let store = try self.store()
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

    @Test("A name has 1 to 64 octets, however many characters they are")
    func nameLengths() throws {
        let store = try self.store()
        let longest = try store.claim(name: String(repeating: "\u{E9}", count: 32))
        #expect(longest.name.utf8.count == 64)
        for (name, count) in [("", 0), (String(repeating: "\u{E9}", count: 32) + "x", 65)] {
            let error = #expect(throws: TransportError.self) { try store.claim(name: name) }
            #expect(error?.code == .badName)
            #expect(error?.message == "the identity has \(count) octets: give it 1 to 64")
        }
    }

    @Test("The address of an identity is the one in its file")
    func addressOfFile() throws {
        let text = "{\"version\":1,\"name\":\"crystal\",\"address\":\"C0:11:22:33:44:55\"}"
        try text.write(toFile: self.folder("name-crystal.json"), atomically: false, encoding: .utf8)
        let identity = try self.store().claim(name: "crystal")
        #expect(identity.address == DeviceAddress(0xC011_2233_4455, kind: .random))
        #expect(identity.name == "crystal" && self.log.lines.value.isEmpty)
    }

    @Test("The status of an air is read from its files: who has the lock, and whether it has said who it is")
    func status() throws {
        let free = try UserAirStatus(folder: self.folder.path)
        #expect(free.socket == self.folder("air"))
        #expect(!free.isServed && free.server == nil && !free.isSuspended)
        let lock = try #require(try FileLock.take(self.folder("air.lock")))
        let unnamed = try UserAirStatus(folder: self.folder.path)
        #expect(unnamed.isServed && unnamed.server == nil && !unnamed.isSuspended)
        lock.writeProcessNumber()
        let named = try UserAirStatus(folder: self.folder.path)
        #expect(named.isServed && !named.isSuspended)
        #expect(named.server?.number == Int(ProcessInfo.processInfo.processIdentifier))
        withExtendedLifetime(lock) {}
    }
}
