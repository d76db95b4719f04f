// Where packets come from, in processes of their own: the pipe with a name, what is shown of a program that has ended,
// and the scan of this program itself.

import BluetoothTransport
import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("Where packets come from", .timeLimit(.minutes(2)))
struct CaptureSourcesTests {
    private static var printer: CapturePrinter { CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false)) }

    // MARK: The pipe

    /// Writes through a pipe, with one writer behind the other.
    private static func pass(_ folder: String) async throws {
        setenv("TMPDIR", folder, 1)
        let pipe = try CapturePipe()
        Console.print("\(pipe.path.hasPrefix(folder + "/corebluetooth-") && pipe.path.hasSuffix("/capture"))")
        let pieces = Watched<[[UInt8]]>([])
        pipe.read { octets in pieces.update { $0.append(octets) } }
        for text in ["abc", "d"] {
            let octets = Array(text.utf8)
            let writer = open(pipe.path, O_WRONLY | O_CLOEXEC)
            let count = write(writer, octets, octets.count)
            close(writer)
            guard count == octets.count else { return Console.print("not written") }
            await pieces.wait(until: { $0.joined().last == octets.last })
        }
        Console.print(String(decoding: pieces.value.joined(), as: UTF8.self))
        Console.print("\(pieces.value.contains([]))")
        pipe.finish()
        await pieces.wait(until: { $0.last == [] })
        Console.print("\(pieces.value.count { $0.isEmpty })")
    }

    @Test("A pipe ends when it is to, once, and not between two writers; its folder goes with the program")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String] in
            try await CaptureSourcesTests.pass(path)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["true", "abcd", "false", "1"])
        #expect(folder.content.isEmpty)
    }

    private static func openPipe(limit: Int) {
        let free = open("/dev/null", O_RDONLY)
        close(free)
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = rlim_t(Int(free) + limit)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        do {
            _ = try CapturePipe()
            Console.print("open")
        } catch let failure as Failure {
            Console.print(failure.line.hasPrefix("cannot open the pipe ") ? "not open" : failure.line)
        } catch {
            Console.print("\(error)")
        }
    }

    @Test("A pipe that cannot be opened at one of its ends, or at both, is a failure", arguments: [0, 1])
    func notOpen(limit: Int) async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, limit = limit as Int] in
            setenv("TMPDIR", path, 1)
            CaptureSourcesTests.openPipe(limit: limit)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["not open"])
        #expect(folder.content.isEmpty)
    }

    @Test("Where there can be no folder, that is said")
    func noFolder() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            setenv("TMPDIR", "/nowhere", 1)
            CaptureSourcesTests.openPipe(limit: 100)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["cannot make a temporary folder: set TMPDIR to one of yours"])
    }

    // What is done at the end of a program captures nothing; each process has one test and one thread that uses this.
    nonisolated(unsafe) private static var writer: CInt = -1

    /// Writes more than a pipe takes.
    private static func fill() {
        let octets = [UInt8](repeating: 7, count: 1 << 20)
        let count = write(writer, octets, octets.count)
        Console.print("\(count == octets.count)")
    }

    private static func discard(_ folder: String) throws {
        setenv("TMPDIR", folder, 1)
        alarm(60)
        let pipe = try CapturePipe()
        writer = open(pipe.path, O_WRONLY | O_CLOEXEC)
        // What is registered first is done last.
        atexit { CaptureSourcesTests.fill() }
        pipe.discardAtExit()
    }

    @Test("What is written while the program ends is taken, and not waited for")
    func discarded() async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String] in
            try CaptureSourcesTests.discard(path)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["true"])
        withExtendedLifetime(folder) {}
    }

    // MARK: A program that is run

    /// Shows pieces of a program, before and after it has ended.
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

    @Test("What a program wrote is shown to its last packet, and then this one ends as the program has ended")
    func ended() async throws {
        let result = await #expect(processExitsWith: .exitCode(37), observing: [\.standardOutputContent]) {
            try await CaptureSourcesTests.show(captureOctets([(resetPacket, .toController)]), status: 37)
            exit(99)
        }
        let lines = try #require(result).lines
        #expect(lines == ["-", "   0.000000 > HCI   Reset", "-"])
    }

    @Test("What is no capture ends the program with the reason")
    func damaged() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await CaptureSourcesTests.show(Array("GIF89a, and more of it".utf8), status: 0)
            exit(99)
        }
        let process = try #require(result)
        #expect(process.lines == ["-"])
        #expect(process.errorLines == ["this is no btsnoop file: it begins with other octets"])
    }

    // MARK: This program

    @MainActor
    private static func scan() throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let pipe = try CapturePipe()
        run.start(on: run.world.addDevice("tool")) {
            let capture = OwnCapture(pipe: pipe, printer: Self.printer)
            capture.central.onDiscovery = { _, _ in Console.print("heard") }
            capture.scan()
            return capture
        }
        return run
    }

    @Test("This program scans without an end, and takes each advertisement")
    func ownPackets() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            let run = try await CaptureSourcesTests.scan()
            run.world.advance(by: .seconds(20))
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines.count > 5 && lines.allSatisfy { $0 == "heard" }, "\(lines.count)")
    }
}
