import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("Writing beside the event loop")
struct StateWriterTests {
    /// The documents that were made, in order.
    private let made = NIOLockedValueBox<[String]>([])

    private func work(_ text: String) -> StateWriter.Work {
        { [made = self.made] in
            made.withLockedValue { $0.append(text) }
            return Data(text.utf8)
        }
    }

    /// A writer on which `body` was called while it was writing a document.
    private func busyWriter(_ storage: FolderStorage, _ body: @escaping @Sendable (StateWriter) -> Void) -> StateWriter
    {
        let writer = StateWriter(storage)
        writer.write("first", .endOfProcess) {
            body(writer)
            return Data()
        }
        writer.flush()
        return writer
    }

    @Test("makes the last version of each document, in the order of the first requests")
    func order() throws {
        try withFolderStorage { storage throws in
            let works = [("a", self.work("a1")), ("b", self.work("b1")), ("a", self.work("a2"))]
            let writer = self.busyWriter(storage) { writer in
                for (name, work) in works { writer.write(name, .endOfProcess, work) }
            }
            writer.flush()
            #expect(self.made.withLockedValue { $0 } == ["a2", "b1"])
            #expect(try storage.read("a") == Data("a2".utf8))
            #expect(try storage.read("b") == Data("b1".utf8))
            writer.write("a", .endOfProcess, self.work("a3"))
            for _ in 1...2 { writer.flush() }
            #expect(self.made.withLockedValue { $0 } == ["a2", "b1", "a3"])
        }
    }

    @Test("removes a document without octets, and leaves one that cannot be made as it is, which it reports")
    func removed() throws {
        try withFolderStorage { storage throws in
            let writer = StateWriter(storage)
            writer.write("a", .endOfProcess, self.work("a"))
            writer.flush()
            let lines = CapturedLog()
            let isWritten = lines.capture {
                writer.writeNow("a", .endOfProcess) { throw CocoaError(.coderInvalidValue) }
            }
            #expect(!isWritten)
            #expect(lines.all.contains { $0.contains("cannot keep a") })
            #expect(try storage.read("a") == Data("a".utf8))
            writer.write("a") { nil }
            writer.flush()
            #expect(try storage.read("a") == nil)
        }
    }

    @Test("writes nothing after it was stopped, neither later nor at once")
    func stopped() throws {
        try withFolderStorage { storage throws in
            let works = ["a", "b", "c"].map(self.work)
            let writer = self.busyWriter(storage) { writer in
                writer.write("a", .endOfProcess, works[0])
                writer.stop()
                writer.write("b", .endOfProcess, works[1])
                writer.writeNow("c", .endOfProcess, works[2])
            }
            writer.flush()
            #expect(self.made.withLockedValue { $0 }.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage.folder) == ["first"])
        }
    }

    @Test("writes at once to a storage in memory, until it is stopped")
    func immediate() throws {
        let storage = MemoryStorage()
        let writer = StateWriter(storage)
        writer.write("a", .endOfProcess, self.work("a"))
        #expect(try storage.read("a") == Data("a".utf8))
        writer.stop()
        writer.write("a", .endOfProcess, self.work("b"))
        #expect(try storage.read("a") == Data("a".utf8))
    }
}
