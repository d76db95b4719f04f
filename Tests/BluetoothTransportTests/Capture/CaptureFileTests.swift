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
    let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    func records(_ path: String) throws -> [BTSnoop.Record] {
        var reader = try BTSnoopReader(ByteBuffer(bytes: Data(contentsOf: URL(fileURLWithPath: path))))
        var records: [BTSnoop.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test("a capture is its owner's alone: it holds the keys that hosts give to their controllers")
    func mode() throws {
        let folder = try TemporaryFolder()
        let file = try CaptureFile(path: folder("a.btsnoop"), logger: LogLines().logger)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("both directions are captured in order and handed on; the file is whole at the end of each turn")
    func captures() throws {
        let folder = try TemporaryFolder()
        let loop = EmbeddedEventLoop()
        let file = try CaptureFile(
            path: folder("a.btsnoop"),
            // The clock of the loop: a capture of a run in virtual time is the same each time.
            now: { BTSnoop.Timestamp(microsecondsSince1970: Int64(loop.now.uptimeNanoseconds / 1_000)) },
            logger: LogLines().logger
        )
        let inner = FakeChannel(eventLoop: loop)
        let channel = CapturingChannel(inner, into: file)
        let recorder = Recorder(answer: { $0.kind == .event ? [HCIPacket([0x01, 0x01, 0x10, 0x00])] : [] })
        channel.start(receiver: recorder)

        channel.send(HCIPacket(self.reset))
        #expect(try self.records(folder("a.btsnoop")).isEmpty)
        loop.run()
        #expect(try self.records(folder("a.btsnoop")).count == 1)
        loop.advanceTime(by: .milliseconds(250))
        inner.deliver([self.complete])
        let (start, later) = (BTSnoopTests.time(0), BTSnoopTests.time(250_000))
        #expect(
            try self.records(folder("a.btsnoop")) == [
                .init(packet: HCIPacket(self.reset), direction: .toController, time: start),
                .init(packet: HCIPacket(self.complete), direction: .toHost, time: later),
                .init(packet: HCIPacket([0x01, 0x01, 0x10, 0x00]), direction: .toController, time: later),
            ]
        )
        #expect(inner.sent.map(\.octets) == [self.reset, [0x01, 0x01, 0x10, 0x00]])
        #expect(recorder.seen.value == [.packet(self.complete), .endOfBatch])

        // Behind the batch a packet is written at the end of its turn again.
        channel.send(HCIPacket(self.reset))
        #expect(try self.records(folder("a.btsnoop")).count == 3)
        loop.run()
        #expect(try self.records(folder("a.btsnoop")).count == 4)

        inner.receiver?.channel(inner, didCloseBecause: "gone")
        #expect(recorder.seen.value.last == .close("gone"))
        // The adapter's next channel goes on in the same file.
        let next = FakeChannel(eventLoop: loop)
        let second = CapturingChannel(next, into: file)
        second.start(receiver: recorder)
        second.send(HCIPacket(self.reset))
        second.close()
        #expect(next.isClosed)
        #expect(try self.records(folder("a.btsnoop")).count == 5)
    }

    @Test("a long turn is written on the way, in whole records")
    func longTurn() throws {
        let folder = try TemporaryFolder()
        let file = try CaptureFile(path: folder("a"), logger: LogLines().logger)
        for _ in 0..<5_000 { file.record(HCIPacket(self.complete), .toHost) }
        #expect(try self.records(folder("a")).count > 1_000)
        file.close()
        #expect(try self.records(folder("a")).count == 5_000)
        file.record(HCIPacket(self.complete), .toHost)
        file.flush()
        #expect(try self.records(folder("a")).count == 5_000)
    }

    @Test("a name that is taken gets a number, and is free again afterwards")
    func numbers() throws {
        let folder = try TemporaryFolder()
        let logger = LogLines().logger
        let first = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        first.record(HCIPacket(self.reset), .toController)
        first.flush()
        let second = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        let third = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        #expect(second.path == folder("run-2.btsnoop"))
        #expect(third.path == folder("run-3.btsnoop"))
        #expect(try self.records(folder("run.btsnoop")).count == 1)
        let plain = try (0..<2).map { _ in try CaptureFile(path: folder(".hidden"), logger: logger) }
        #expect(plain.map(\.path) == [folder(".hidden"), folder(".hidden-2")])
        #if os(Linux)
        // The writer that found the name taken has let go of that file.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return file == folder("run.btsnoop")
        }
        #expect(open.count == 1)
        #endif
        first.close()
        // A new capture begins with an empty file.
        let again = try CaptureFile(path: folder("run.btsnoop"), logger: logger)
        #expect(again.path == folder("run.btsnoop"))
        #expect(try self.records(folder("run.btsnoop")).isEmpty)
    }

    @Test("a full disk ends the capture with one line, and the traffic goes on")
    func fullDisk() throws {
        let log = LogLines()
        let loop = EmbeddedEventLoop()
        let file = try CaptureFile(path: "/dev/full", logger: log.logger)
        let inner = FakeChannel(eventLoop: loop)
        let channel = CapturingChannel(inner, into: file)
        let recorder = Recorder()
        channel.start(receiver: recorder)
        for _ in 0..<3 {
            channel.send(HCIPacket(self.reset))
            loop.run()
            inner.deliver([self.complete])
        }
        #expect(inner.sent.count == 3)
        #expect(recorder.packets.count == 3)
        #expect(log.lines.value == ["the capture /dev/full ends here: No space left on device"])
    }

    @Test("a number stands in front of the last dot of the name, and behind a name without one")
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

    @Test("numbers up to 99 captures of one name, and refuses another")
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
        "writes gathered records from 64 KiB on",
        arguments: [(65_535, true), (65_536, false), (65_537, false)]
    )
    func flushSize(octetCount: Int, waits: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try CaptureFile(path: folder("a"), logger: LogLines().logger)
        #expect(!file.needsFlush)
        // A record has 24 octets in front of its packet.
        file.record(HCIPacket([0x05] + [UInt8](repeating: 0, count: octetCount - 25)), .toHost)
        #expect(file.needsFlush == waits)
        #expect(try self.records(folder("a")).count == (waits ? 0 : 1))
        file.flush()
        #expect(try self.records(folder("a")).count == 1)
    }

    @Test("a write goes on behind what was written, and behind a signal; one that writes nothing is the end")
    func repeatedWrites() {
        let octets: [UInt8] = [1, 2, 3, 4, 5]
        /// The lengths that the calls were asked for, and how it ended, -1 where all were written.
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
        // The number of an earlier error stands there; it is not asked again.
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

    @Test("drops packets that a full disk did not take")
    func nothingWaits() throws {
        let log = LogLines()
        let file = try CaptureFile(path: "/dev/full", logger: log.logger)
        let packet = Reset().packet()
        // Its header was not taken.
        #expect(!file.needsFlush)
        file.flush()
        file.record(packet, .toController)
        #expect(!file.needsFlush)
        file.close()
        #expect(log.lines.value.count == 1)
    }

    @Test("a capture without times of its own has those of the clock that it is given, packet by packet")
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
            file.record(HCIPacket([0x01, 0x03, 0x0C, 0x00]), .toController)
        }
        now.update { $0 = 99 }
        file.close()
        file.close()
        let bytes = try ByteBuffer(bytes: Data(contentsOf: URL(fileURLWithPath: folder("a"))))
        let records = try CaptureReader.content(of: bytes).records
        #expect(records.map(\.time.microsecondsSince1970) == [10, 7, 30])
        #expect(!file.needsFlush)
    }

    @Test("writes a deallocated capture to its end, and frees its name")
    func released() throws {
        let folder = try TemporaryFolder()
        var file: CaptureFile? = try CaptureFile(path: folder("a"), logger: LogLines().logger)
        file?.record(HCIPacket([0x01, 0x03, 0x0C, 0x00]), .toController)
        #expect(file?.needsFlush == true)
        file = nil
        let bytes = try ByteBuffer(bytes: Data(contentsOf: URL(fileURLWithPath: folder("a"))))
        #expect(try CaptureReader.content(of: bytes).records.count == 1)
        #expect(try CaptureFile(path: folder("a"), logger: LogLines().logger).path == folder("a"))
    }

    @Test("a device is nobody's alone: each capture is written to it")
    func device() throws {
        let log = LogLines()
        let files = try (0..<2).map { _ in try CaptureFile(path: "/dev/null", logger: log.logger) }
        #expect(files.map(\.path) == ["/dev/null", "/dev/null"])
        for file in files {
            file.record(HCIPacket([0x01, 0x03, 0x0C, 0x00]), .toController)
            file.close()
        }
        #expect(log.lines.value == [])
    }
}

/// A channel whose other end is the test.
private final class FakeChannel: HCIChannel {
    let eventLoop: any EventLoop
    var sent: [HCIPacket] = []
    var isClosed = false
    weak var receiver: (any HCIChannelReceiver)?

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }
    func send(_ packet: HCIPacket) { self.sent.append(packet) }
    func close() { self.isClosed = true }

    func deliver(_ packets: [[UInt8]]) {
        for packet in packets { self.receiver?.channel(self, didReceive: HCIPacket(packet)) }
        self.receiver?.channelDidFinishBatch(self)
    }
}
