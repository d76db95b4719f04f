import BluetoothHCI
import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Capture")
struct CaptureFileTests {
    let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    func records(_ path: String) throws -> [BTSnoop.Record] {
        var reader = try BTSnoopReader(ByteBuffer(bytes: Data(contentsOf: URL(fileURLWithPath: path))))
        var records: [BTSnoop.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test("a capture is private, and keeps its name until it is closed")
    func names() throws {
        let folder = try TemporaryFolder()
        let logger = LogLines().logger
        let first = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        // It contains the keys that hosts give to their controllers.
        #expect(try folder.mode("run.btsnoop") == 0o600)
        first.record(HCIPacket(self.reset), .toController)
        first.flush()
        let second = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        #expect(second.path == folder("run-2.btsnoop"))
        #expect(try self.records(folder("run.btsnoop")).count == 1)
        #if os(Linux)
        // The other writer does not keep that file open.
        #expect(try folder.openDescriptorCount(of: "run.btsnoop") == 1)
        #endif
        first.close()
        // A new capture truncates the file.
        let again = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        #expect(again.path == folder("run.btsnoop"))
        #expect(try self.records(folder("run.btsnoop")).isEmpty)
    }

    @Test("puts the number before the last dot of the name, or at the end of a name without one")
    func numberedNames() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("a.b"), withIntermediateDirectories: true)
        let logger = LogLines().logger
        for (name, second) in [
            ("run", "run-2"), ("a.b/run", "a.b/run-2"), ("a.b/x.y", "a.b/x-2.y"), ("x.y.z", "x.y-2.z"), ("x.", "x-2."),
            ("a.b/.x", "a.b/.x-2"), (".x.y", ".x-2.y"),
        ] {
            let files = try (0..<2).map { _ in try CaptureFile(path: folder(name), logger: logger) }
            #expect(files.map(\.path) == [folder(name), folder(second)])
        }
    }

    @Test("numbers up to 99 captures of one name, and rejects another")
    func mostCaptures() throws {
        let folder = try TemporaryFolder()
        let logger = LogLines().logger
        let files = try (0..<99).map { _ in try CaptureFile(path: folder("a"), logger: logger) }
        #expect(files.last?.path == folder("a-99"))
        let error = #expect(throws: TransportError.self) { try CaptureFile(path: folder("a"), logger: logger) }
        #expect(error?.code == .inUse)
        #expect(error?.message == "99 captures are being written as \(folder("a")): choose another name")
        #expect(folder.content.count == 99)
    }

    @Test(
        "writes buffered records from 64 KiB on",
        arguments: [(65_535, true), (65_536, false), (65_537, false)]
    )
    func flushSize(octetCount: Int, waits: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try CaptureFile(path: folder("a"), logger: LogLines().logger)
        #expect(!file.needsFlush)
        // A record has 24 octets before its packet.
        file.record(HCIPacket([0x05] + [UInt8](repeating: 0, count: octetCount - 25)), .toHost)
        #expect(file.needsFlush == waits)
        #expect(try self.records(folder("a")).count == (waits ? 0 : 1))
        file.flush()
        #expect(try self.records(folder("a")).count == 1)
    }

    @Test("continues after a partial write and a signal, and stops at a write of no octets")
    func repeatedWrites() {
        let octets: [UInt8] = [1, 2, 3, 4, 5]
        /// The requested lengths of the calls, and the result; -1 if all octets were written.
        func lengths(_ results: [(count: Int, error: CInt)]) -> String {
            var asked: [Int] = []
            let failure = octets.withUnsafeBytes { octets in
                CaptureFile.failure(ofWriting: octets) { start, count in
                    let result = results[min(asked.count, results.count - 1)]
                    asked.append(count)
                    #expect(start?.load(as: UInt8.self) == UInt8(octets.count - count + 1))
                    errno = result.error
                    return result.count
                }
            }
            return "\(asked) \(failure ?? -1)"
        }
        #expect(lengths([(5, 0)]) == "[5] -1")
        #expect(lengths([(1, 0), (3, 0), (1, 0)]) == "[5, 4, 1] -1")
        #expect(lengths([(2, 0), (-1, EINTR), (-1, EINTR), (3, 0)]) == "[5, 3, 3, 3] -1")
        #expect(lengths([(2, 0), (-1, ENOSPC)]) == "[5, 3] \(ENOSPC)")
        #expect(lengths([(-1, EIO)]) == "[5] \(EIO)")
        // `errno` of an earlier error; the call is not repeated.
        #expect(lengths([(4, 0), (0, EINTR), (1, 0)]) == "[5, 1] \(EINTR)")
    }

    @Test("fails with one line if no file can be created")
    func badPlace() throws {
        let folder = try TemporaryFolder()
        let logger = LogLines().logger
        for (path, code) in [(folder("no/file"), TransportError.Code.notFound), (folder.path, .failed), ("", .badName)]
        {
            let error = #expect(throws: TransportError.self) { try CaptureFile(path: path, logger: logger) }
            #expect(error?.code == code)
        }
    }

    @Test("a full disk ends the capture with one line in the log, and no packet is buffered any more")
    func fullDisk() throws {
        let log = LogLines()
        let file = try CaptureFile(path: "/dev/full", logger: log.logger)
        // Writing the header has failed.
        #expect(!file.needsFlush)
        file.flush()
        file.record(HCIPacket(self.reset), .toController)
        #expect(!file.needsFlush)
        file.close()
        #expect(log.lines.value == ["the capture /dev/full ends here: No space left on device"])
    }

    @Test("gives each packet the time of its clock, and ignores packets after it is closed")
    func clock() throws {
        let folder = try TemporaryFolder()
        let now = Watched<Int64>(0)
        let file = try CaptureFile(
            path: folder("a"),
            now: { BTSnoop.Timestamp(microsecondsSince1970: now.value) },
            logger: LogLines().logger
        )
        for number in [10, 7, 30] as [Int64] {
            now.update { $0 = number }
            file.record(HCIPacket(self.reset), .toController)
        }
        now.update { $0 = 99 }
        for _ in 0..<2 { file.close() }
        file.record(HCIPacket(self.reset), .toController)
        file.flush()
        #expect(try self.records(folder("a")).map(\.time.microsecondsSince1970) == [10, 7, 30])
        #expect(!file.needsFlush)
    }

    @Test("flushes a deallocated capture, and frees its name")
    func released() throws {
        let folder = try TemporaryFolder()
        var file: CaptureFile? = try CaptureFile(path: folder("a"), logger: LogLines().logger)
        file?.record(HCIPacket(self.reset), .toController)
        #expect(file?.needsFlush == true)
        file = nil
        #expect(try self.records(folder("a")).count == 1)
        #expect(try CaptureFile(path: folder("a"), logger: LogLines().logger).path == folder("a"))
    }

    @Test("writes several captures to one device")
    func device() throws {
        let log = LogLines()
        let files = try (0..<2).map { _ in try CaptureFile(path: "/dev/null", logger: log.logger) }
        #expect(files.map(\.path) == ["/dev/null", "/dev/null"])
        for file in files {
            file.record(HCIPacket(self.reset), .toController)
            file.close()
        }
        #expect(log.lines.value == [])
    }
}
