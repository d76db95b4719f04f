// Captures that are copied, followed and read by `corebluetooth capture`: what a copy has of each packet, what is shown
// of a file that grows in pieces, and the whole output for files of no, one and several packets.

import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import NIOCore
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("A capture that is copied or followed")
struct CaptureCopyTests {
    private static let packets: [(octets: [UInt8], direction: BTSnoop.Direction, drops: UInt32)] = [
        ([0x01, 0x03, 0x0C, 0x00], .toController, 0), ([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], .toHost, 3),
        ([0x01, 0x0A, 0x20, 0x01, 0x01], .toController, .max),
    ]

    private static var records: [BTSnoop.Record] {
        packets.enumerated().map { index, packet in
            BTSnoop.Record(
                packet: HCIPacket(h4: ByteBuffer(bytes: packet.octets)),
                direction: packet.direction,
                time: BTSnoop.Timestamp(microsecondsSince1970: 1_000_000 + Int64(index) * 1_500),
                drops: packet.drops
            )
        }
    }

    /// A file of the first packets. Their records begin at 16, 44 and 75, and the last one ends at 104.
    private static func file(_ count: Int) -> [UInt8] {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        for record in records.prefix(count) {
            BTSnoopWriter.write(record.packet, record.direction, at: record.time, drops: record.drops, into: &bytes)
        }
        return Array(bytes.readableBytesView)
    }

    private static func words(of octets: [UInt8]) throws -> [String] {
        var stream = CaptureStream()
        stream.append(octets)
        var lines: [String] = []
        while let record = try stream.next() {
            let octets = Hexadecimal.digits(record.packet.bytes.readableBytesView)
            lines.append("\(record.time.microsecondsSince1970) \(record.direction) \(record.drops) \(octets)")
        }
        return lines
    }

    // MARK: A copy

    @Test("A copy has how many packets were dropped before each one, and nothing of the file that was there before")
    func drops() throws {
        let folder = try TemporaryFolder()
        let path = folder("copy")
        try Data(repeating: 0x2A, count: 1000).write(to: URL(fileURLWithPath: path))
        let copy = try CaptureCopy(path)
        #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == Self.file(0))
        for record in Self.records { copy.write(record) }
        let octets = try #require(FileManager.default.contents(atPath: path).map { [UInt8]($0) })
        #expect(octets == Self.file(3))
        let lines = try Self.words(of: octets)
        #expect(
            lines == [
                "1000000 toController 0 01030C00", "1001500 toHost 3 040E0401030C00",
                "1003000 toController 4294967295 010A200101",
            ]
        )
        for line in lines { RunRecord.note(line) }
        let failure = #expect(throws: Failure.self) { try CaptureCopy("/nowhere/at/all") }
        #expect(failure?.line == "cannot write the capture file /nowhere/at/all")
        withExtendedLifetime(folder) {}
    }

    @Test("The packets of all layers are copied, whichever of them are shown; a printer without a file copies none")
    func layers() async throws {
        let folder = try TemporaryFolder()
        let path = folder("copy")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = path as String] in
            let output = OutputFormat(isJSON: false, isVerbose: false)
            let copy = try CaptureCopy(path)
            let printer = CapturePrinter(output: output, layers: Set([LayerName.gap.layer]), file: copy)
            for record in CaptureCopyTests.records { printer.print(record) }
            Console.print("-")
            let other = CapturePrinter(output: output, layers: Set([LayerName.hci.layer]))
            for record in CaptureCopyTests.records { other.print(record) }
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines.prefix(3) == ["   0.003000 > GAP   Start advertising", "-", "   0.000000 > HCI   Reset"])
        #expect(lines.count == 4)
        let octets = try #require(FileManager.default.contents(atPath: path).map { [UInt8]($0) })
        #expect(octets == Self.file(3))
        withExtendedLifetime(folder) {}
    }

    // MARK: A file that grows

    /// Shows a file that grows by these parts, with a line behind each.
    @MainActor
    private static func follow(_ folder: String, _ parts: [[UInt8]]) throws {
        // Error lines have the path as it was given.
        guard FileManager.default.changeCurrentDirectoryPath(folder) else { exit(98) }
        let path = "grows.btsnoop"
        try Data(parts[0]).write(to: URL(fileURLWithPath: path))
        let printer = CapturePrinter(output: OutputFormat(isJSON: false, isVerbose: false))
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

    @Test("What is added is shown once its record is whole; what is damaged ends the program with the reason")
    func grows() async throws {
        let folder = try TemporaryFolder()
        let octets = Self.file(3)
        #expect(octets.count == 104)
        let damaged: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 0]
        let parts: [[UInt8]] = [
            Array(octets[..<44]), Array(octets[44..<60]), Array(octets[60..<75]), [], Array(octets[75...]), damaged,
        ]
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [path = folder.path as String, parts = parts as [[UInt8]]] in
            try await CaptureCopyTests.follow(path, parts)
            exit(99)
        }
        let process = try #require(result)
        let lines = process.lines.map { line in
            line.contains(" Reset") ? (line.contains(" > ") ? "command" : "event") : line.contains("GAP") ? "GAP" : line
        }
        #expect(lines == ["command", "-", "-", "-", "event", "-", "-", "GAP", "-"])
        #expect(
            process.errorLines == ["grows.btsnoop: the capture is damaged: a record announces 0 octets"]
        )
        withExtendedLifetime(folder) {}
    }

    @Test("A file may begin empty, and with a part of its header; another file's beginning is refused")
    func header() async throws {
        let folder = try TemporaryFolder()
        let octets = Self.file(1)
        let parts: [[UInt8]] = [[], Array(octets[..<5]), Array(octets[5..<16]), Array(octets[16...])]
        for isOther in [false, true] {
            let all: [[UInt8]] = isOther ? [[], Array("GIF89a".utf8)] : parts
            let result = await #expect(
                processExitsWith: isOther ? .exitCode(1) : .exitCode(0),
                observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [path = folder.path as String, parts = all as [[UInt8]]] in
                try await CaptureCopyTests.follow(path, parts)
                exit(0)
            }
            let process = try #require(result)
            let dashes = ["-", "-"]
            #expect(process.lines == (isOther ? dashes : dashes + ["-", "-", "   0.000000 > HCI   Reset", "-"]))
            let reason = "grows.btsnoop: this is no btsnoop file: it begins with other octets"
            #expect(process.errorLines == (isOther ? [reason] : []))
        }
        withExtendedLifetime(folder) {}
    }

    // MARK: The command

    @MainActor
    private static func run(_ folder: String, _ arguments: [String]) throws {
        guard FileManager.default.changeCurrentDirectoryPath(folder) else { exit(98) }
        for count in 0...3 { try Data(file(count)).write(to: URL(fileURLWithPath: "\(count).btsnoop")) }
        for count in 0...3 {
            try CaptureCommand.parse(["--read", "\(count).btsnoop"] + arguments).run()
            Console.print("-")
        }
    }

    @Test(
        "Files of no packet, of one and of several are shown whole, or the layers that were named",
        arguments: [
            ([], [0, 1, 2, 3]), (["--json"], [0, 1, 2, 3]), (["--layer", "GAP"], [0, 0, 0, 1]),
            (["--layer", "hci"], [0, 1, 2, 2]), (["--layer", "hci", "--layer", "gap"], [0, 1, 2, 3]),
            (["--layer", "gatt", "--json"], [0, 0, 0, 0]),
        ] as [([String], [Int])]
    )
    func command(arguments: [String], counts: [Int]) async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, arguments = arguments as [String]] in
            try await CaptureCopyTests.run(path, arguments)
            exit(0)
        }
        let lines = try #require(result).lines
        let parts = lines.split(separator: "-", omittingEmptySubsequences: false).dropLast()
        #expect(parts.map(\.count) == counts)
        let isJSON = arguments.contains("--json")
        for line in lines where line != "-" { #expect(line.hasPrefix(isJSON ? #"{"event":"packet","# : "   0.00")) }
        withExtendedLifetime(folder) {}
    }

    // MARK: A program that is to end

    @Test(
        "A program that was told to end is waited for while it is there, and 50 times at most",
        arguments: [0, 1, 49, 80]
    )
    func wait(turns: Int) {
        var pauses = 0
        ProgramCapture.waitForEnd(isThere: { pauses < turns }, pause: { pauses += 1 })
        #expect(pauses == min(turns, 50))
    }
}
