// The parts of which stored state is made: documents in folders and in memory, their order and their names, what is
// said of one that cannot be read, and when a record says nothing.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Parts of stored state")
struct StoredPartsTests {
    private let record = CentralRecord(
        scan: CentralRecord.Scan(services: nil, solicitedServices: [0x180A], allowsDuplicates: false)
    )

    // MARK: Storage

    @Test("documents of a folder come in the order of their last change, then of their names, and only documents do")
    func folderNames() throws {
        try withFolderStorage { storage throws in
            let changes = [("a-3.json", 1), ("a-1.json", 3), ("a-4.json", 2), ("a-2.json", 2), ("b-1.json", 0)]
            for (name, seconds) in changes {
                try storage.write(Data(), to: name)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_000_000 + Double(seconds))],
                    ofItemAtPath: "\(storage.folder)/\(name)"
                )
            }
            for name in ["a-5.txt", "a-6.damaged-7.json", "a-7"] { try storage.write(Data(), to: name) }
            #expect(
                try storage.names(withPrefix: "a-") == ["a-3.json", "a-2.json", "a-4.json", "a-1.json"]
            )
            #expect(try storage.names(withPrefix: "").first == "b-1.json")
            #expect(try storage.names(withPrefix: "c").isEmpty)
        }
    }

    @Test("a document that is set aside keeps its octets, and is a document no more", arguments: ["a.json", "a"])
    func setAside(name: String) throws {
        try withFolderStorage { storage throws in
            try storage.write(Data("octets".utf8), to: name)
            let aside = try storage.setAside(name)
            #expect(aside.hasPrefix("a.damaged-") && aside.hasSuffix(".json"))
            #expect(Int(aside.dropFirst("a.damaged-".count).dropLast(".json".count)) != nil)
            #expect(try storage.read(name) == nil)
            #expect(try storage.read(aside) == Data("octets".utf8))
            #expect(try storage.names(withPrefix: "").isEmpty)
        }
    }

    @Test("in memory a document that is written again is the last one, and one that is nothing has no name")
    func memoryNames() throws {
        let storage = MemoryStorage()
        for name in ["a", "b", "c"] { try storage.write(Data(name.utf8), to: name) }
        try storage.write(Data("again".utf8), to: "a")
        #expect(storage.names == ["b", "c", "a"] && storage.isImmediate)
        try storage.write("b", .endOfProcess) { nil }
        #expect(storage.names == ["c", "a"] && storage.names(withPrefix: "c") == ["c"])
        #expect(try storage.read("b") == nil)
        #expect(try storage.read("a") == Data("again".utf8))
        storage.remove("c")
        storage.remove("c")
        #expect(storage.names == ["a"])
        // It is made of what is known when it is read, and one that cannot be made is none.
        try storage.write("d", .powerFailure) { throw CocoaError(.coderInvalidValue) }
        #expect(storage.names == ["a"])
        #expect(throws: CocoaError.self) { try storage.read("d") }
    }

    @Test("what cannot be used is set aside, and why is said, with both names", arguments: [true, false])
    func notices(isVersion: Bool) async {
        // In a process of its own: there are only so many things that one says.
        await #expect(processExitsWith: .success) { [isVersion] in
            let storage = MemoryStorage()
            let text = isVersion ? #"{"version":7,"content":{}}"# : "{"
            try storage.write(Data(text.utf8), to: "central.json")
            let lines = CapturedLog()
            lines.capture { #expect(storage.load(CentralRecord.self, from: "central.json") == nil) }
            let cause = isVersion ? "it is of version 7" : "it is damaged or foreign"
            let words =
                "cannot use central.json of the kept state: \(cause); it was set aside as damaged-1-central.json"
            #expect(lines.all.count == 1 && lines.all.first?.contains(words) == true)
            #expect(storage.names == ["damaged-1-central.json"])
            // What is not there is no cause for words.
            let others = CapturedLog()
            others.capture { #expect(storage.load(CentralRecord.self, from: "central.json") == nil) }
            #expect(others.all.isEmpty)
        }
    }

    @Test("a document is one line of JSON with sorted keys, its version and its content")
    func document() throws {
        let text = String(decoding: try self.record.document(), as: UTF8.self)
        let scan = #"{"allowsDuplicates":false,"solicitedServices":["180A"]}"#
        #expect(text == #"{"content":{"peripherals":[],"scan":"# + scan + #"},"version":1}"#)
        let use = String(decoding: try BondUse(lastUsed: Date(timeIntervalSince1970: 0)).document(), as: UTF8.self)
        #expect(use == #"{"content":{"lastUsed":"1970-01-01T00:00:00Z"},"version":1}"#)
    }

    // MARK: Records

    @Test("a record is empty where it has none of its parts")
    func emptyRecords() throws {
        let peripheral = CentralRecord.Peripheral(
            identifier: UUID(random: 1, 2),
            address: "C0:00:00:00:00:01",
            isRandom: true,
            name: nil,
            wasConnected: false,
            reconnectsByItself: false,
            attributes: nil
        )
        #expect(CentralRecord().isEmpty && !self.record.isEmpty)
        #expect(!CentralRecord(peripherals: [peripheral]).isEmpty)
        #expect(peripheral.deviceAddress == DeviceAddress(0xC000_0000_0001, kind: .random))
        var other = peripheral
        other.isRandom = false
        #expect(other.deviceAddress == DeviceAddress(0xC000_0000_0001, kind: .public))
        other.address = "nowhere"
        #expect(other.deviceAddress == nil)
        let service = PeripheralRecord.Service(
            number: 1,
            uuid: 0x180D,
            isPrimary: true,
            included: [],
            characteristics: []
        )
        let advertisement = PeripheralRecord.Advertisement(localName: nil, services: [])
        #expect(PeripheralRecord().isEmpty && !PeripheralRecord(services: [service]).isEmpty)
        #expect(!PeripheralRecord(advertisement: advertisement).isEmpty)
    }

    @Test("a scan is kept with all that it is for, and is the same when it comes back")
    func scans() {
        let filters = [
            ScanFilter(services: nil), ScanFilter(services: []),
            ScanFilter(services: [0x180D, 0x180F], solicitedServices: [0x1800], allowsDuplicates: true),
            ScanFilter(services: [0x180D], allowsDuplicates: true), ScanFilter(services: nil, solicitedServices: [1]),
        ]
        for filter in filters { #expect(CentralRecord.Scan(filter).filter == filter) }
    }

    @Test("the document of a manager has its role, its program and its identifier in its name")
    func recordNames() throws {
        let storage = MemoryStorage()
        let writer = StateWriter(storage)
        let central = try #require(RecordStore<CentralRecord>("home / 1", program: "an app"))
        #expect(central.identifier == "home / 1" && central.open(writer) == nil)
        central.noteChange()
        central.save { self.record }
        let peripheral = try #require(RecordStore<PeripheralRecord>("home / 1", program: "an app"))
        #expect(peripheral.open(writer) == nil)
        peripheral.noteChange()
        peripheral.save {
            PeripheralRecord(advertisement: PeripheralRecord.Advertisement(localName: "a", services: []))
        }
        let end = "an%20app-home%20%2F%201.json"
        #expect(storage.names == ["central-\(end)", "peripheral-\(end)"])
    }

    // MARK: Clients

    @Test("a client that is stored as it is already is not written again, and one that is known is not read again")
    func unchangedClient() {
        let storage = MemoryStorage()
        let store = BondedClientStore()
        store.writer = StateWriter(storage)
        let addresses = (1...2).map { DeviceAddress(UInt64($0), kind: .public) }
        let client = BondedClient(configurations: [], features: 1, databaseHash: nil)
        for address in addresses { store.store(client, at: address) }
        let names = addresses.map(BondedClientStore.name)
        #expect(storage.names == names)
        store.store(client, at: addresses[0])
        #expect(storage.names == names)
        store.store(BondedClient(configurations: [], features: 2, databaseHash: nil), at: addresses[0])
        #expect(storage.names == names.reversed())
        storage.remove(names[0])
        #expect(store.client(at: addresses[0])?.features == 2)
        // By the kinds that a controller reports, too.
        store.remove(DeviceAddress(2, kind: .publicIdentity))
        #expect(store.client(at: addresses[1]) == nil && storage.names.isEmpty)
    }

    @Test("a Database Hash has 16 octets, and may be missing", arguments: [nil, 0, 15, 16, 17] as [Int?])
    func databaseHash(count: Int?) throws {
        let hash = count.map { #","databaseHash":["# + Array(repeating: "7", count: $0).joined(separator: ",") + "]" }
        let text = #"{"configurations":[],"features":3"# + (hash ?? "") + "}"
        let client = try? JSONDecoder().decode(BondedClient.self, from: Data(text.utf8))
        #expect((client != nil) == (count == nil || count == 16))
        #expect(client?.databaseHash?.readableBytes == (count == 16 ? 16 : nil))
    }
}
