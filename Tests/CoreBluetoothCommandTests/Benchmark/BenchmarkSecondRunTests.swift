// Several runs of `corebluetooth benchmark` against one peripheral, in virtual time: a later one finds the service as
// the first did, and has the same results.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("A second run of corebluetooth benchmark")
struct BenchmarkSecondRunTests {
    @Test("Each run on a connection counts its own octets, and loses none")
    func runs() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await BenchmarkRunTests.benchmark("both", [], isJSON: true, reads: 1, runs: 3).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let objects = process.lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let results = objects.map { object -> String in
            let parts = ["event", "test", "direction"].compactMap { object[$0] as? String }
            let numbers = ["octets", "lost"].compactMap { object[$0] as? Int }
            return parts.joined(separator: " ") + numbers.map { " \($0)" }.joined()
        }
        #expect(results.count == 18)
        guard results.count == 18 else { return }
        #expect(Array(results[6..<12]) == Array(results[12..<18]))
        #expect(Array(results[..<6]) == Array(results[6..<12]))
        #expect(results[0] == "link" && results[1] == "result read")
        #expect(results[4] == "result l2cap to 3000 0" && results[5] == "result l2cap from 3000 0")
        #expect(results[2].hasPrefix("result writeWithoutResponse to ") && results[2].hasSuffix(" 0"))
        #expect(results[3].hasPrefix("result notification from ") && results[3].hasSuffix(" 0"))
    }

    @Test("A read of the counter is the number of octets since the last one, and sets it to zero")
    @MainActor
    func counter() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("peripheral").run { CBPeripheralManager(delegate: nil, queue: nil) }
        let server = BenchmarkServer()
        let all = server.service.characteristics ?? []
        let sink = try #require(all.first { $0.uuid == BenchmarkService.sink })
        let other = try #require(all.first { $0.uuid == BenchmarkService.channel })
        for count in [1, 244, 0, 70_000] {
            server.received(Data(count: count), on: sink, manager)
            server.received(Data(count: 3), on: sink, manager)
            // Other values have no part in it.
            _ = server.value(of: other)
            #expect(server.value(of: sink) == UInt64(count + 3).littleEndianData)
            #expect(server.value(of: sink) == Data(count: 8))
        }
    }
}
