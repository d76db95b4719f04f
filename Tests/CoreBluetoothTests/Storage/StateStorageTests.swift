import Testing

@testable import CoreBluetooth

@Suite("Storage in memory")
struct StateStorageTests {
    private let storage = MemoryStorage()

    @Test("lists a document that is written again last, and one without octets not at all")
    func names() throws {
        for name in ["a", "b", "c"] { try self.storage.write(Data(name.utf8), to: name) }
        try self.storage.write(Data("again".utf8), to: "a")
        #expect(self.storage.names == ["b", "c", "a"])
        try self.storage.write("b", .endOfProcess) { nil }
        #expect(self.storage.names == ["c", "a"] && self.storage.names(withPrefix: "c") == ["c"])
        #expect(try self.storage.read("b") == nil)
        #expect(try self.storage.read("a") == Data("again".utf8))
        for _ in 1...2 { self.storage.remove("c") }
        #expect(self.storage.names == ["a"])
        // A document is made when it is read.
        try self.storage.write("d", .powerFailure) { throw CocoaError(.coderInvalidValue) }
        #expect(self.storage.names == ["a"])
        #expect(throws: CocoaError.self) { try self.storage.read("d") }
    }

    @Test("keeps what is set aside twice, in the order of writing")
    func setAside() throws {
        for number in [1, 2] as [UInt8] {
            try self.storage.write(Data([number]), to: "a")
            #expect(self.storage.setAside("a") == "damaged-\(number)-a")
        }
        #expect(self.storage.names == ["damaged-1-a", "damaged-2-a"])
        #expect(try self.storage.read("damaged-1-a") == Data([1]))
        #expect(try self.storage.read("a") == nil)
    }

    @Test("gives a claim to one at a time")
    func claims() {
        var first = self.storage.claim("central")
        #expect(first != nil && self.storage.claim("central") == nil && self.storage.claim("peripheral") != nil)
        first = nil
        #expect(self.storage.claim("central") != nil)
        withExtendedLifetime(first) {}
    }
}
