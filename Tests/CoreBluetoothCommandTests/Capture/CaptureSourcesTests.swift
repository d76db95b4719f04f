import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The sources of packets")
@MainActor
struct CaptureSourcesTests {
    private static func read(_ path: String) throws {
        let output = OutputFormat(isJSON: false, isVerbose: false)
        let printer = CapturePrinter(output: output)
        try CaptureReading(path: path, printer: printer).run(follows: false)
    }

    @Test("are named if a file is missing, is no capture, is damaged, or ends inside a record")
    func wrong() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.btsnoop")
        let whole = captureOctets([(resetPacket, .toController)])
        let inside = "\(path) ends inside a record: its writer was stopped, or still writes (--follow)"
        let cases: [(octets: [UInt8], line: String?)] = [
            ([], nil), (Array(whole.prefix(16)), nil), (Array(whole.prefix(5)), inside),
            (Array(whole.prefix(17)), inside), (Array(whole.prefix(16 + 23)), inside),
            (Array(whole.prefix(16 + 24)), inside), (Array(whole.prefix(16 + 24 + 3)), inside),
            (Array("GIF89a, and more".utf8), "\(path): this is no btsnoop file: it begins with other octets"),
            (
                Array(whole.prefix(16)) + [0, 0, 0, 9, 0, 0, 0, 0],
                "\(path): the capture is damaged: a record announces 0 octets"
            ),
        ]
        for (octets, line) in cases {
            try Data(octets).write(to: URL(fileURLWithPath: path))
            var failure: String?
            do { try Self.read(path) } catch { failure = (error as? Failure)?.line ?? "\(error)" }
            #expect(failure == line, "\(octets.count)")
        }
        // A version that is not ours is an error of the format's.
        let other: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 9, 0, 0, 3, 0xEA]
        try Data(other).write(to: URL(fileURLWithPath: path))
        let version = #expect(throws: Failure.self) { try Self.read(path) }
        #expect(version?.line.hasPrefix("\(path) cannot be read: ") == true)
        let absent = #expect(throws: Failure.self) { try Self.read("/nowhere/a.btsnoop") }
        #expect(absent?.line.hasPrefix("cannot read /nowhere/a.btsnoop: ") == true)
    }

    @Test(
        "wait for a program that is told to end while it runs, 50 times at most",
        arguments: [0, 1, 49, 80]
    )
    func wait(turns: Int) {
        var pauses = 0
        ProgramCapture.waitForEnd(isThere: { pauses < turns }, pause: { pauses += 1 })
        #expect(pauses == min(turns, 50))
    }
}
