// Files that commands are given: a capture that is shown, whole or cut anywhere, and what is said of one that is not to
// be read.

import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("A capture that is read")
struct CaptureReadingTests {
    private static let answer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    private static let advertise: [UInt8] = [0x01, 0x0A, 0x20, 0x01, 0x01]

    /// A capture of three packets.
    private static var capture: [UInt8] {
        captureOctets([(resetPacket, .toController), (answer, .toHost), (advertise, .toController)])
    }

    @MainActor
    private static func read(_ path: String, isJSON: Bool = false, layers: [LayerName] = []) throws {
        let output = OutputFormat(isJSON: isJSON, isVerbose: false)
        let printer = CapturePrinter(output: output, layers: Set(layers.map(\.layer)))
        try CaptureReading(path: path, printer: printer).run(follows: false)
    }

    @Test("Each packet is a line, or an object, and the program goes on behind the last one", arguments: [false, true])
    func shown(isJSON: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder("a.btsnoop")
        try Data(Self.capture).write(to: URL(fileURLWithPath: path))
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = path as String, isJSON = isJSON as Bool] in
            try await CaptureReadingTests.read(path, isJSON: isJSON)
            Console.print("-")
            try await CaptureReadingTests.read(path, isJSON: isJSON, layers: [.gap])
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines.count == 5)
        guard lines.count == 5 else { return }
        #expect(lines[3] == "-")
        #expect(lines[4] == lines[2])
        if isJSON {
            let layers = try lines.prefix(3).map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return object?["layer"] as? String
            }
            #expect(layers == ["HCI", "HCI", "GAP"])
        } else {
            #expect(lines[0] == "   0.000000 > HCI   Reset")
            #expect(lines[1].hasPrefix("   0.001500 < HCI   Command Complete Reset"))
            #expect(lines[2] == "   0.003000 > GAP   Start advertising")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("A capture that ends inside of a record, is damaged or is none is named, with what is wrong")
    @MainActor
    func wrong() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.btsnoop")
        let whole = Self.capture
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

    @Test("A file that is not there, and a folder, are named with what is wrong; another one is read whole")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.json")
        for count in [0, 1, 70_000] {
            let data = Data(repeating: 7, count: count)
            try data.write(to: URL(fileURLWithPath: path))
            #expect(try InputFile.read(path) == data)
        }
        let absent = #expect(throws: Failure.self) { _ = try InputFile.read("/nowhere/a.json") }
        #expect(absent?.line == "cannot read /nowhere/a.json: there is no such file")
        let isFolder = #expect(throws: Failure.self) { _ = try InputFile.read(folder.path) }
        #expect(isFolder?.line == "cannot read \(folder.path): it is a folder; name the file in it")
    }
}
