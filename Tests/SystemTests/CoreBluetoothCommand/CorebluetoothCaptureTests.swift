// Where corebluetooth capture has packets from, in processes of their own.

import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import NIOCore
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The sources of corebluetooth capture")
struct CorebluetoothCaptureTests {
    private static var printer: CapturePrinter { CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false)) }

    /// The file of one packet; its record begins at 16.
    private static func file(in folder: TemporaryFolder) throws -> [UInt8] {
        let copy = try CaptureCopy(folder("whole"))
        let packet = HCIPacket(h4: ByteBuffer(bytes: [0x01, 0x03, 0x0C, 0x00]))
        copy.write(BTSnoop.Record(packet: packet, direction: .toController, time: .init(microsecondsSince1970: 0)))
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder("whole"))))
    }

    // MARK: A file that grows

    /// Shows a file that grows by these parts, with a line behind each.
    @MainActor
    private static func follow(_ folder: String, _ parts: [[UInt8]]) throws {
        guard FileManager.default.changeCurrentDirectoryPath(folder) else { exit(98) }
        let path = "grows.btsnoop"
        try Data(parts[0]).write(to: URL(fileURLWithPath: path))
        let reading = CaptureReading(path: path, printer: printer)
        try reading.begin()
        Console.print("-")
        reading.showMore()
        Console.print("-")
        for part in parts.dropFirst() {
            guard let writer = FileHandle(forWritingAtPath: path) else { exit(97) }
            try writer.seekToEnd()
            try writer.write(contentsOf: Data(part))
            try writer.close()
            reading.showMore()
            Console.print("-")
        }
    }

    @Test("show what is added to a file once its record is whole; damage ends the program with the reason")
    func grows() async throws {
        let folder = try TemporaryFolder()
        let octets = try Self.file(in: folder)
        let damaged: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16)
        let parts = [
            [], Array(octets[..<5]), Array(octets[5..<16]), Array(octets[16..<30]), Array(octets[30...]), damaged,
        ]
        let process = try await #require(processExitsWith: .exitCode(1), observing: .outputs) {
            [path = folder.path as String, parts = parts as [[UInt8]]] in
            try await CorebluetoothCaptureTests.follow(path, parts)
            exit(99)
        }
        #expect(process.lines == ["-", "-", "-", "-", "-", "   0.000000 > HCI   Reset", "-"])
        let error = "the capture is damaged after 1 packet: Included Length: the value is not allowed"
        #expect(process.errorLines == ["grows.btsnoop: " + error])
    }

    // MARK: The pipe

    /// Writes through a pipe, with one writer behind the other, and prints what has come.
    private static func pass() async throws {
        let pipe = try CapturePipe()
        let pieces = Watched<[[UInt8]]>([])
        pipe.read { octets in pieces.update { $0.append(octets) } }
        for text in ["abc", "d"] {
            let octets = Array(text.utf8)
            let writer = open(pipe.path, O_WRONLY | O_CLOEXEC)
            let count = write(writer, octets, octets.count)
            close(writer)
            guard count == octets.count else { exit(96) }
            guard await pieces.wait(until: { $0.joined().last == octets.last }) else { exit(97) }
        }
        Console.print("\(String(decoding: pieces.value.joined(), as: UTF8.self)) \(pieces.value.contains([]))")
        pipe.finish()
        guard await pieces.wait(until: { $0.last == [] }) else { exit(97) }
        Console.print("\(pieces.value.count { $0.isEmpty })")
    }

    @Test("pass what several writers write through a pipe that ends once, and whose folder is removed")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String] in
            setenv("TMPDIR", path, 1)
            try await CorebluetoothCaptureTests.pass()
            exit(0)
        }
        #expect(process.lines == ["abcd false", "1"])
        #expect(folder.content.isEmpty)
    }

    // A function that is registered with `atexit` captures nothing; each process has one test that uses this.
    nonisolated(unsafe) private static var writer: CInt = -1

    @Test("take what is written while the program ends, and do not wait for it")
    func discarded() async throws {
        let folder = try TemporaryFolder()
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String] in
            setenv("TMPDIR", path, 1)
            let pipe = try CapturePipe()
            Console.print("\(pipe.path.hasPrefix(path + "/corebluetooth-") && pipe.path.hasSuffix("/capture"))")
            CorebluetoothCaptureTests.writer = open(pipe.path, O_WRONLY | O_CLOEXEC)
            // What is registered first is done last.
            atexit {
                // More than a pipe takes.
                let octets = [UInt8](repeating: 7, count: 1 << 20)
                Console.print("\(write(CorebluetoothCaptureTests.writer, octets, octets.count) == octets.count)")
            }
            pipe.discardAtExit()
            exit(0)
        }
        #expect(process.lines == ["true", "true"])
        withExtendedLifetime(folder) {}
    }

    @Test(
        "fail if the pipe cannot be opened at one of its ends or at both, or there can be no folder",
        arguments: [0, 1, 100]
    )
    func notOpen(limit: Int) async throws {
        let folder = try TemporaryFolder()
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            [path = folder.path as String, limit = limit as Int] in
            setenv("TMPDIR", limit == 100 ? "/nowhere" : path, 1)
            let free = open("/dev/null", O_RDONLY)
            close(free)
            limitDescriptors(to: UInt64(Int(free) + limit))
            let line = #expect(throws: Failure.self) { _ = try CapturePipe() }?.line ?? "none"
            Console.print(line.hasPrefix("cannot open the pipe ") ? "not open" : line)
            exit(0)
        }
        #expect(
            process.lines == [limit < 100 ? "not open" : "cannot make a temporary folder: set TMPDIR to one of yours"]
        )
        #expect(folder.content.isEmpty)
    }

    // MARK: A program

    /// Shows the octets of a program, which has ended before they come.
    @MainActor
    private static func show(_ octets: [UInt8], status: Int32) throws {
        let capture = ProgramCapture(["true"], pipe: try CapturePipe(), printer: Self.printer)
        // The end of a pipe is not yet the end of the program.
        capture.take([])
        Console.print("-")
        capture.ended(with: status)
        capture.take(Array(octets.prefix(20)))
        capture.take(Array(octets.dropFirst(20)))
        Console.print("-")
        capture.take([])
    }

    @Test("show a program to its last packet and end as it has ended, or at once if it writes no capture")
    func program() async throws {
        let folder = try TemporaryFolder()
        let reason = "this is no capture: no btsnoop, PacketLogger, pcap or pcapng file begins like this"
        let cases: [(octets: [UInt8], status: Int32, lines: [String], errors: [String])] = [
            (try Self.file(in: folder), 37, ["-", "   0.000000 > HCI   Reset", "-"], []),
            (Array("GIF89a, and more of it".utf8), 1, ["-"], [reason]),
        ]
        for (octets, status, lines, errors) in cases {
            let process = try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
                [octets = octets as [UInt8]] in
                try await CorebluetoothCaptureTests.show(octets, status: 37)
                exit(99)
            }
            #expect(process.lines == lines && process.errorLines == errors)
        }
    }

    @Test("take each advertisement of a scan without an end")
    func ownPackets() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            var run = SessionRun()
            run.world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
            let pipe = try CapturePipe()
            run.start(on: run.world.addDevice("tool")) {
                let capture = OwnCapture(pipe: pipe, printer: CorebluetoothCaptureTests.printer)
                capture.central.onDiscovery = { _, _ in Console.print("heard") }
                capture.scan()
                return capture
            }
            run.world.advance(by: .seconds(20))
            exit(0)
        }
        #expect(process.lines.count > 5 && process.lines.allSatisfy { $0 == "heard" })
    }
}
