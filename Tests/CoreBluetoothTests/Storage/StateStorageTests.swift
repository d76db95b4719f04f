import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("What is kept on disk")
struct StateStorageTests {
    private var record: CentralRecord {
        CentralRecord(
            scan: CentralRecord.Scan(services: [0x180D], solicitedServices: [], allowsDuplicates: true),
            peripherals: []
        )
    }

    @Test("a document is what was written last; folder and files are the user's alone")
    func documents() throws {
        try withFolderStorage { folder throws in
            #expect(try folder.read("a.json") == nil)
            try folder.write(Data("one".utf8), to: "a.json")
            try folder.write(Data("two, longer".utf8), to: "a.json")
            #expect(try folder.read("a.json") == Data("two, longer".utf8))
            try folder.write(Data(), to: "b.json")
            #expect(try folder.read("b.json") == Data())
            #expect(try folder.names(withPrefix: "") == ["a.json", "b.json"])
            let files = FileManager.default
            #expect(try files.attributesOfItem(atPath: folder.folder)[.posixPermissions] as? Int == 0o700)
            let mode = try files.attributesOfItem(atPath: "\(folder.folder)/a.json")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try folder.remove("a.json")
            try folder.remove("a.json")
            #expect(try folder.names(withPrefix: "") == ["b.json"])
            // Nothing is left over from writing.
            #expect(try files.contentsOfDirectory(atPath: folder.folder) == ["b.json"])
        }
    }

    @Test(
        "torn, foreign and other files are set aside, and everything begins anew",
        arguments: [
            "", "{", "[]", "null", #"{"version":1}"#, #"{"version":2,"content":{"peripherals":[]}}"#,
            #"{"version":"1","content":{}}"#, #"{"version":1,"content":{"peripherals":[{"identifier":"x"}]}}"#,
            #"{"version":1,"content":{"peripherals":[],"scan":{"services":["nonsense"],"solicitedServices":[]}}}"#,
        ]
    )
    func damaged(text: String) throws {
        try withFolderStorage { folder throws in
            for storage in [folder, MemoryStorage()] as [any StateStorage] {
                try storage.write(Data(text.utf8), to: "central.json")
                let lines = CapturedLog()
                lines.capture { #expect(storage.load(CentralRecord.self, from: "central.json") == nil) }
                #expect(try storage.read("central.json") == nil)
                try storage.save(self.record, to: "central.json")
                #expect(storage.load(CentralRecord.self, from: "central.json") == self.record)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder)
            let aside = try #require(names.first { $0.contains("damaged") })
            #expect(try folder.read(aside) == Data(text.utf8))
        }
    }

    @Test("a record cut after any octet is set aside or whole")
    func cut() throws {
        let storage = MemoryStorage()
        let whole = try self.record.document()
        try CapturedLog().capture {
            for length in 0..<whole.count {
                try storage.write(whole.prefix(length), to: "central.json")
                #expect(storage.load(CentralRecord.self, from: "central.json") == nil, "\(length)")
            }
        }
    }

    @Test("handles that cannot be are refused: a foreign file must not end the program")
    func handles() throws {
        for (service, characteristic) in [
            (#""first":5,"last":4"#, #""declaration":2,"value":3,"end":3"#),
            (#""first":0,"last":4"#, #""declaration":2,"value":3,"end":3"#),
            (#""first":1,"last":4"#, #""declaration":0,"value":3,"end":3"#),
            (#""first":1,"last":4"#, #""declaration":3,"value":3,"end":3"#),
            (#""first":1,"last":4"#, #""declaration":2,"value":3,"end":2"#),
            (#""first":1,"last":4"#, #""declaration":2,"value":70000,"end":2"#),
        ] {
            let text = """
                {"services":[{"record":{"uuid":"180D",\(service),"isPrimary":true},"isListed":true,"characteristics":\
                [{"record":{"uuid":"2A37","properties":2,\(characteristic)},"isNotifying":false}]}]}
                """
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(DiscoveredAttributes.self, from: Data(text.utf8))
            }
        }
    }

    @Test("one has a claim at a time, in one process as in two")
    func claims() throws {
        try withFolderStorage { folder throws in
            for storage in [folder, MemoryStorage()] as [any StateStorage] {
                var first = try storage.claim("central")
                #expect(first != nil)
                #expect(try storage.claim("central") == nil)
                #expect(try storage.claim("peripheral") != nil)
                first = nil
                #expect(try storage.claim("central") != nil)
                withExtendedLifetime(first) {}
            }
        }
    }

    @Test("many changes are few writes, and the last one stays")
    func coalescing() throws {
        try withFolderStorage { folder throws in
            let writer = StateWriter(folder)
            for number in 0..<1000 { writer.write("a.json") { Data("\(number)".utf8) } }
            writer.flush()
            #expect(try folder.read("a.json") == Data("999".utf8))
            writer.write("a.json") { nil }
            writer.flush()
            #expect(try folder.read("a.json") == nil)
            // A process that was killed writes nothing more.
            writer.stop()
            writer.write("a.json") { Data("late".utf8) }
            writer.flush()
            #expect(try folder.read("a.json") == nil)
        }
    }

    @Test("file names are short and plain, whatever an app calls its managers")
    func names() {
        #expect(stateFileName("Asker_1") == "Asker_1")
        #expect(stateFileName("../a b") == "%2E%2E%2Fa%20b")
        let long = stateFileName(String(repeating: "x", count: 500))
        #expect(long.utf8.count <= 64)
        #expect(long != stateFileName(String(repeating: "x", count: 501)))
        #expect(stateFileName("ö") == "%C3%B6")
    }

    @Test("7.13 as many peers are remembered as the limit allows, the latest ones")
    func cacheLimit() throws {
        try withFolderStorage { folder throws in
            let cache = DatabaseCache()
            let writer = StateWriter(folder)
            cache.writer = writer
            let hash = ByteBuffer(repeating: 7, count: 16)
            func address(_ number: UInt64) -> DeviceAddress {
                DeviceAddress(0xC000_0000_0000 | number, kind: .random)
            }
            for number in 0..<300 as Range<UInt64> {
                cache.store(RemoteDatabase(GATTCachedDatabase(databaseHash: hash)), of: address(number))
                writer.flush()
            }
            #expect(try folder.names(withPrefix: "attributes-").count == 256)
            #expect(cache.database(of: address(299)) != nil)
            #expect(cache.database(of: address(100)) != nil)
            #expect(cache.database(of: address(0)) == nil)
            // Addresses that change are not worth a file.
            cache.store(RemoteDatabase(GATTCachedDatabase(databaseHash: hash)), of: DeviceAddress(5, kind: .random))
            writer.flush()
            #expect(try folder.names(withPrefix: "attributes-").count == 256)
            #expect(cache.database(of: DeviceAddress(5, kind: .random)) != nil)
        }
    }
}

@Suite("What an app has discovered")
struct AttributeTreeTests {
    private func service(_ uuid: BluetoothUUID, _ handles: AttributeHandleRange) -> GATTRemoteService {
        GATTRemoteService(uuid: uuid, handles: handles, isPrimary: true)
    }

    private func characteristic(_ value: AttributeHandle) -> GATTRemoteCharacteristic {
        GATTRemoteCharacteristic(
            uuid: 0x2A37,
            properties: [.read, .notify],
            declarationHandle: value - 1,
            valueHandle: value,
            endHandle: value + 1
        )
    }

    @Test("7.1 discoveries accumulate in the order of the handles; what is invalid goes")
    func accumulate() throws {
        var tree = DiscoveredAttributes()
        #expect(tree.isEmpty)
        tree.add([self.service(0x180F, 30...39)], listed: true)
        tree.add([self.service(0x180D, 10...19), self.service(0x180F, 30...39)], listed: true)
        #expect(tree.services.map(\.handle) == [10, 30])
        tree.add([self.characteristic(15)], of: 10...19)
        tree.add([self.characteristic(12), self.characteristic(15)], of: 10...19)
        #expect(tree.services[0].characteristics?.map(\.record.valueHandle) == [12, 15])
        tree.add([], of: 30...39)
        #expect(tree.services[1].characteristics?.isEmpty == true)
        tree.add([GATTRemoteDescriptor(uuid: 0x2902, handle: 13)], of: 12)
        #expect(tree.services[0].characteristics?[0].descriptors?.map(\.handle) == [13])
        let changes = [tree.setNotifying(true, 12), tree.setNotifying(true, 12), tree.setNotifying(true, 14)]
        #expect(changes == [true, false, false])
        #expect(tree.notifying.map(\.valueHandle) == [12])
        // A service that is only included is not listed until it is found itself.
        tree.add([self.service(0x1800, 40...49)], includedBy: 10...19)
        #expect(tree.services.map(\.isListed) == [true, true, false])
        #expect(tree.services[0].included == [40])
        tree.add([self.service(0x1800, 40...49)], listed: true)
        #expect(tree.services.map(\.isListed) == [true, true, true])

        let copy = try JSONDecoder().decode(DiscoveredAttributes.self, from: JSONEncoder().encode(tree))
        #expect(copy == tree)
        tree.setNotifying(false, 12)
        #expect(tree.notifying.isEmpty)
        tree.invalidate(11...12)
        #expect(tree.services.map(\.handle) == [30, 40])
        // Another service at the same place is another one.
        tree.add([self.service(0x180A, 30...35)], listed: true)
        #expect(tree.services[0].record.uuid == 0x180A)
        #expect(tree.services[0].characteristics == nil)
    }

    @Test("in memory, what is set aside twice is kept twice, in the order of what was written")
    func setAsideTwice() throws {
        let storage = MemoryStorage()
        for number in [1, 2] as [UInt8] {
            try storage.write("a", .endOfProcess) { Data([number]) }
            #expect(storage.setAside("a") == "damaged-\(number)-a")
        }
        #expect(storage.names(withPrefix: "damaged") == ["damaged-1-a", "damaged-2-a"])
        #expect(storage.names(withPrefix: "a").isEmpty)
    }
}
