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

    @Test("are named if a file is missing, is no capture or is damaged")
    func wrong() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.btsnoop")
        let whole = captureOctets([(resetPacket, .toController)])
        let foreign = "\(path): this is no capture: no btsnoop, PacketLogger, pcap or pcapng file begins like this"
        let cases: [(octets: [UInt8], line: String?)] = [
            ([], nil), (Array(whole.prefix(16)), nil), (Array(whole.prefix(5)), nil), (Array(whole.dropLast()), nil),
            (Array("GIF89a, and more".utf8), foreign),
            (
                Array(whole.prefix(16)) + [0, 0, 0, 9, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16),
                "\(path): the capture is damaged after 0 packets: Included Length: the value is not allowed"
            ),
            (
                Array("btsnoop\0".utf8) + [0, 0, 0, 9, 0, 0, 3, 0xEA],
                "\(path): this is a btsnoop file of another kind: Version Number: the value is not allowed"
            ),
        ]
        for (octets, line) in cases {
            try Data(octets).write(to: URL(fileURLWithPath: path))
            var failure: String?
            do { try Self.read(path) } catch { failure = (error as? Failure)?.line ?? "\(error)" }
            #expect(failure == line, "\(octets.count)")
        }
        let absent = #expect(throws: Failure.self) { try Self.read("/nowhere/a.btsnoop") }
        #expect(absent?.line == "cannot read /nowhere/a.btsnoop: there is no such file")
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
