// Small values of the transport: times of captures, records, errors, and what is known of the running program.

import BluetoothHCI
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Values of the transport")
struct TransportValuesTests {
    @Test("Times of captures are ordered, also before 1970")
    func times() {
        let times = [Int64.min, -1, 0, 1, .max].map { BTSnoop.Timestamp(microsecondsSince1970: $0) }
        for (one, left) in times.enumerated() {
            for (other, right) in times.enumerated() {
                #expect((left < right) == (one < other) && (left == right) == (one == other))
            }
        }
    }

    @Test("A record has lost no packets before it, and an error no number of the system, unless told otherwise")
    func defaults() {
        let packet = HCIPacket([0x01, 0x03, 0x0C, 0x00])
        let time = BTSnoop.Timestamp(microsecondsSince1970: 5)
        let record = BTSnoop.Record(packet: packet, direction: .toHost, time: time)
        #expect(record.drops == 0 && record.packet == packet && record.direction == .toHost && record.time == time)
        let error = TransportError(.closed, "it was closed")
        #expect(error.errorNumber == nil && error.description == "it was closed" && error.code == .closed)
        let other = TransportError(.failed, "it has failed", errorNumber: 7)
        #expect(other.errorNumber == 7 && other.message == "it has failed" && other != error)
        #expect(CaptureError("a line").description == "a line")
    }

    @Test("A capture without times of its own has those of the clock that it is given, packet by packet")
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
        let records = try CaptureReader.records(of: bytes)
        #expect(records.map(\.time.microsecondsSince1970) == [10, 7, 30])
        #expect(!file.needsFlush)
    }

    @Test("A capture that nobody holds any more is written to its end, and its name is free")
    func released() throws {
        let folder = try TemporaryFolder()
        var file: CaptureFile? = try CaptureFile(path: folder("a"), logger: LogLines().logger)
        file?.record(HCIPacket([0x01, 0x03, 0x0C, 0x00]), .toController)
        #expect(file?.needsFlush == true)
        file = nil
        let bytes = try ByteBuffer(bytes: Data(contentsOf: URL(fileURLWithPath: folder("a"))))
        #expect(try CaptureReader.records(of: bytes).count == 1)
        #expect(try CaptureFile(path: folder("a"), logger: LogLines().logger).path == folder("a"))
    }

    @Test("The running program is what its process says, and unknown where that is not said")
    func ownProgram() throws {
        let processes = try AdapterUnavailableTests.Processes()
        #expect(processes.listing.ownProgram == nil)
        try FileManager.default.createDirectory(atPath: processes.folder("self"), withIntermediateDirectories: true)
        symlink("/opt/my ball", processes.folder("self/exe"))
        #expect(processes.listing.ownProgram == "/opt/my ball")
    }

    @Test("A process that does not run has a number alone, and no name has no process")
    func unknownProcesses() throws {
        let processes = try AdapterUnavailableTests.Processes()
        try processes.add(12, "eightball")
        try processes.add(7, "eightball")
        #expect(processes.listing.process(13) == ProcessInformation(number: 13, name: nil))
        #expect(processes.listing.processes(named: "ball").isEmpty)
        #expect(processes.listing.processes(named: "eightball").map(\.number) == [7, 12])
    }
}
