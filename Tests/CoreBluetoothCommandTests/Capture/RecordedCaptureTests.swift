import BluetoothHost
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A capture that is read as a peripheral")
struct RecordedCaptureTests {
    @Test("is named with the reason, in one line, if it is missing, no capture, or without a peripheral")
    func wrong() throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        func line(_ device: String?) -> String {
            let failure = #expect(throws: Failure.self) { _ = try RecordedPeripheral.read(path, device: device) }
            return failure?.line ?? "none"
        }
        #expect(line(nil) == "cannot read \(path): there is no such file")
        try Data("GIF89a, and more of it".utf8).write(to: URL(fileURLWithPath: path))
        #expect(line(nil).hasPrefix("\(path): this is no capture: "))
        try Data(captureOctets([(resetPacket, .toController)])).write(to: URL(fileURLWithPath: path))
        for device in [nil, "Lamp"] as [String?] {
            let words = line(device)
            #expect(words.hasPrefix("\(path): ") && !words.contains("\n"), "\(words)")
            #expect(!words.contains("RecordingError") && !words.contains("CaptureError"), "\(words)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("is of any format and may be cut, for each command that reads one", arguments: CaptureOfEachFormat.all)
    @MainActor
    func formats(capture: CaptureOfEachFormat) throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        for octets in [capture.octets, capture.octets.dropLast()] {
            try Data(octets).write(to: URL(fileURLWithPath: path))
            let printer = CapturePrinter(output: OutputFormat(isJSON: true, isVerbose: false))
            try CaptureReading(path: path, printer: printer).run(follows: false)
            // The capture is read, and has no peripheral.
            let failure = #expect(throws: Failure.self) { _ = try RecordedPeripheral.read(path, device: nil) }
            #expect(failure?.line == "\(path): \(try Self.noPeripheral())")
        }
        withExtendedLifetime(folder) {}
    }

    /// What is said of a capture of commands alone.
    private static func noPeripheral() throws -> String {
        do {
            _ = try RecordedConversations([]).peripheral(nil)
            return "none"
        } catch {
            return "\(error)"
        }
    }
}
