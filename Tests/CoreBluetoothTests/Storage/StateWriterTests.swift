// Documents that are written beside the event loop: the last one of each name, in the order of their first request.

import Dispatch
import Foundation
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Writing beside the event loop")
struct StateWriterTests {
    /// What was made, in order.
    private let made = NIOLockedValueBox<[String]>([])

    private func work(_ text: String) -> StateWriter.Work {
        { [made = self.made] in
            made.withLockedValue { $0.append(text) }
            return Data(text.utf8)
        }
    }

    /// Calls `body` with a writer whose queue waits, and lets the queue go on.
    private func whileWaiting(_ storage: FolderStorage, _ body: (StateWriter) -> Void) -> StateWriter {
        let writer = StateWriter(storage)
        let semaphore = DispatchSemaphore(value: 0)
        writer.write("first", .endOfProcess) {
            semaphore.wait()
            return Data()
        }
        body(writer)
        semaphore.signal()
        return writer
    }

    @Test("of a document that is written again before its turn the last is made, in the place of the first")
    func order() throws {
        try withFolderStorage { storage throws in
            let writer = self.whileWaiting(storage) { writer in
                // The queue may have taken nothing yet.
                writer.write("a", .endOfProcess, self.work("a1"))
                writer.write("b", .endOfProcess, self.work("b1"))
                writer.write("a", .endOfProcess, self.work("a2"))
            }
            writer.flush()
            #expect(self.made.withLockedValue { $0 } == ["a2", "b1"])
            #expect(try storage.read("a") == Data("a2".utf8))
            #expect(try storage.read("b") == Data("b1".utf8))
            writer.write("a", .endOfProcess, self.work("a3"))
            writer.flush()
            writer.flush()
            #expect(self.made.withLockedValue { $0 } == ["a2", "b1", "a3"])
        }
    }

    @Test("what is written after the queue was empty is written, too, without a flush", .timeLimit(.minutes(1)))
    func again() throws {
        try withFolderStorage { storage throws in
            let writer = StateWriter(storage)
            for text in ["one", "two"] {
                let isMade = DispatchSemaphore(value: 0)
                writer.write("a", .endOfProcess) {
                    defer { isMade.signal() }
                    return Data(text.utf8)
                }
                isMade.wait()
                // Behind what the queue is at.
                writer.flush()
                #expect(try storage.read("a") == Data(text.utf8))
            }
        }
    }

    @Test("a document without octets is removed, and one that cannot be made stays as it is, which is said")
    func removed() throws {
        try withFolderStorage { storage throws in
            let writer = StateWriter(storage)
            writer.write("a", .endOfProcess, self.work("a"))
            writer.flush()
            let lines = CapturedLog()
            lines.capture { writer.writeNow("a", .endOfProcess) { throw CocoaError(.coderInvalidValue) } }
            #expect(lines.all.contains { $0.contains("cannot keep a") })
            #expect(try storage.read("a") == Data("a".utf8))
            writer.writeNow("a", .endOfProcess) { nil }
            #expect(try storage.read("a") == nil)
        }
    }

    @Test("a writer that was stopped writes nothing, neither what waits nor what comes, later or at once")
    func stopped() throws {
        try withFolderStorage { storage throws in
            let writer = self.whileWaiting(storage) { writer in
                writer.write("a", .endOfProcess, self.work("a"))
                writer.stop()
                writer.write("b", .endOfProcess, self.work("b"))
                writer.writeNow("c", .endOfProcess, self.work("c"))
            }
            writer.flush()
            let made = self.made.withLockedValue { $0 }
            #expect(!made.contains("b") && !made.contains("c"))
        }
    }

    @Test("in virtual time everything is written at once")
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
