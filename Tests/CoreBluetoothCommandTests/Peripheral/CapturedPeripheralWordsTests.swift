// What `corebluetooth advertise` says of a capture: the services whose characteristics nobody has asked for. The test
// is a process of its own, which ends before there is an adapter.

import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import Fixtures
import Foundation
import NIOCore
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("What is said of a captured peripheral", .timeLimit(.minutes(2)))
struct CapturedPeripheralWordsTests {
    /// A capture of a central that finds the services FFF0, at the handles 1 to 5, and FFF1, at 6 to 9, and asks for
    /// the characteristics of those whose first and last handles are given.
    private static func capture(asked: [(UInt8, UInt8)]) -> Data {
        var bytes = ByteBuffer()
        var time: Int64 = 1_000_000
        BTSnoopWriter.writeFileHeader(into: &bytes)
        func write(_ octets: [UInt8], _ direction: BTSnoop.Direction) {
            let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            BTSnoopWriter.write(packet, direction, at: .init(microsecondsSince1970: time), into: &bytes)
            time += 1_000
        }
        func att(_ pdu: [UInt8], _ direction: BTSnoop.Direction) {
            let count = UInt8(pdu.count)
            let flags: UInt8 = direction == .toController ? 0x00 : 0x20
            write([0x02, 0x40, flags, count + 4, 0x00, count, 0x00, 0x04, 0x00] + pdu, direction)
        }
        // A connection as central.
        write(
            [
                0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 0x18, 0x00, 0x00, 0x00, 0x48,
                0x00, 0x00,
            ],
            .toHost
        )
        att([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], .toController)
        att([0x11, 0x06, 0x01, 0x00, 0x05, 0x00, 0xF0, 0xFF, 0x06, 0x00, 0x09, 0x00, 0xF1, 0xFF], .toHost)
        att([0x10, 0x0A, 0x00, 0xFF, 0xFF, 0x00, 0x28], .toController)
        att([0x01, 0x10, 0x0A, 0x00, 0x0A], .toHost)
        for (first, last) in asked {
            att([0x08, first, 0x00, last, 0x00, 0x03, 0x28], .toController)
            att([0x01, 0x08, first, 0x00, 0x0A], .toHost)
        }
        return Data(bytes.readableBytesView)
    }

    @Test(
        "A service whose characteristics were not asked for is named, and no other one",
        arguments: [[], ["FFF0"], ["FFF1"], ["FFF0", "FFF1"]] as [[String]]
    )
    func undiscovered(asked: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = folder("lamp.btsnoop")
        let capture = Self.capture(asked: asked.map { $0 == "FFF0" ? (1, 5) : (6, 9) })
        try capture.write(to: URL(fileURLWithPath: path))
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [path = path as String] in
            endProcess(after: 60)
            do {
                // The capture that cannot be written ends the command.
                try AdvertiseCommand.parse(["--from-capture", path, "--capture", "/nowhere/a.btsnoop"]).run()
            } catch let failure as Failure {
                Console.print(failure.line)
            }
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == ["cannot write the capture file /nowhere/a.btsnoop: No such file or directory"])
        for service in ["FFF0", "FFF1"] {
            let words = "the capture has no discovery of the characteristics of \(service)"
            let count = process.errorLines.count { $0.contains(words) }
            #expect(count == (asked.contains(service) ? 0 : 1), "\(service): \(process.errorLines)")
        }
        withExtendedLifetime(folder) {}
    }
}
