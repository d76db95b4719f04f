import Fixtures
import Testing

@testable import CoreBluetooth

@Suite("Writing on a queue beside the event loop")
struct StateWriterQueueTests {
    @Test("writes a document without a flush, also after the queue was empty")
    func again() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let storage = try FolderStorage(folder: folder("state"))
        let writer = StateWriter(storage)
        for text in ["one", "two"] {
            let isMade = DispatchSemaphore(value: 0)
            writer.write("a", .endOfProcess) {
                defer { isMade.signal() }
                return Data(text.utf8)
            }
            #expect(isMade.wait(timeout: .now() + 300) == .success, "the document is never made")
            // Waits for what the queue is at.
            writer.flush()
            #expect(try storage.read("a") == Data(text.utf8))
        }
    }
}
