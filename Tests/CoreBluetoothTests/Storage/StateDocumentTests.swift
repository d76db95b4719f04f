import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Stored documents")
struct StateDocumentTests {
    private let record = CentralRecord(
        scan: CentralRecord.Scan(services: nil, solicitedServices: [0x180A], allowsDuplicates: false)
    )

    @Test("are one line of JSON with sorted keys, a version and the content")
    func document() throws {
        let text = String(decoding: try self.record.document(), as: UTF8.self)
        let scan = #"{"allowsDuplicates":false,"solicitedServices":["180A"]}"#
        #expect(text == #"{"content":{"peripherals":[],"scan":"# + scan + #"},"version":1}"#)
        let use = String(decoding: try BondUse(lastUsed: Date(timeIntervalSince1970: 0)).document(), as: UTF8.self)
        #expect(use == #"{"content":{"lastUsed":"1970-01-01T00:00:00Z"},"version":1}"#)
    }

    @Test(
        "are set aside if they are torn, foreign or of another version, and begin anew",
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
                CapturedLog().capture { #expect(storage.load(CentralRecord.self, from: "central.json") == nil) }
                #expect(try storage.read("central.json") == nil)
                try storage.save(self.record, to: "central.json")
                #expect(storage.load(CentralRecord.self, from: "central.json") == self.record)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder)
            let aside = try #require(names.first { $0.contains("damaged") })
            #expect(try folder.read(aside) == Data(text.utf8))
        }
    }

    @Test(
        "that are set aside are reported with both names and the reason",
        arguments: [("{", "it is damaged or foreign"), (#"{"version":7,"content":{}}"#, "it is of version 7")]
    )
    func notices(text: String, cause: String) throws {
        // A name of its own: each line is written once in a process.
        let name = "reported-\(text.count).json"
        let storage = MemoryStorage()
        try storage.write(Data(text.utf8), to: name)
        let lines = CapturedLog()
        for _ in 1...2 { lines.capture { #expect(storage.load(CentralRecord.self, from: name) == nil) } }
        let line = "cannot use \(name) of the kept state: \(cause); it was set aside as damaged-1-\(name)"
        #expect(lines.all == ["[CoreBluetooth] " + line] && storage.names == ["damaged-1-\(name)"])
    }

    @Test("have names that are short and plain, whatever an app calls its managers")
    func names() {
        #expect(stateFileName("Asker_1") == "Asker_1" && stateFileName("ö") == "%C3%B6")
        #expect(stateFileName("../a b") == "%2E%2E%2Fa%20b")
        let text = String(repeating: "x", count: 64)
        #expect(stateFileName(text) == text)
        // A longer text is cut, and ends in a hash.
        let longer = stateFileName(text + "y")
        #expect(longer.hasPrefix(String(repeating: "x", count: 47) + "~") && longer.utf8.count <= 64)
        #expect(longer != stateFileName(text + "z"))
        #expect(stateFileName("abcdefghijklmnopqrstuvwxyz", limit: 20).hasPrefix("abc~"))
    }
}
