// `corebluetooth scan` as it ships, in virtual time: which lines, in which order, and when it ends.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth scan")
struct ScanSessionTests {
    /// What is asked for.
    struct Request: Codable, Sendable {
        var service: String?
        var name: String?
        var rssi: Int?
        var order: String?
        var duplicates = false
        var isJSON = false
        var hasBluetooth = true
    }

    /// Anna at 1 m from the beginning, Bert at 12 m from 2 s on: 5 s.
    @MainActor
    private static func scan(_ request: Request) throws -> SessionRun {
        var run = SessionRun()
        let device = run.world.addDevice("tool")
        device.isPowered = request.hasBluetooth
        let advertisement = ScriptedPeripheral.Advertisement(interval: .seconds(1))
        run.world.addPeripheral(
            ScriptedPeripheral(
                name: "Anna",
                services: [.init("180D", characteristics: [])],
                advertisement: advertisement
            )
        )
        let bert = run.world.addPeripheral(ScriptedPeripheral(name: "Bert", advertisement: advertisement), distance: 12)
        bert.isPowered = false
        run.world.after(.seconds(2)) { bert.isPowered = true }
        run.start(on: device) {
            let session = ScanSession(
                filter: ScanSession.Filter(
                    services: request.service.map { [CBUUID(string: $0)] } ?? [],
                    name: request.name,
                    rssi: request.rssi
                ),
                presentation: .lines,
                order: request.order.flatMap(ScanOrder.init),
                duplicates: request.duplicates,
                timeout: 5,
                output: OutputFormat(isJSON: request.isJSON, isVerbose: false)
            )
            session.start()
            return session
        }
        run.mark("- 2", at: 2)
        run.mark("- before the end", at: 4.999)
        run.mark("- behind it", at: 5.001)
        return run
    }

    private static let marks = ["- 2", "- before the end"]

    @Test(
        "A device is a line when it is heard first, where it passes; sorted ones come at the end of the time",
        arguments: [
            (.init(), ["Anna", "- 2", "Bert", "- before the end"]),
            (.init(name: "AN"), ["Anna"] + marks), (.init(name: "x"), marks),
            (.init(service: "180D"), ["Anna"] + marks), (.init(service: "180F"), marks),
            (.init(rssi: -67), ["Anna", "- 2", "Bert", "- before the end"]), (.init(rssi: -66), ["Anna"] + marks),
            (.init(order: "time"), marks + ["Bert", "Anna"]), (.init(order: "name"), marks + ["Anna", "Bert"]),
            (.init(order: "rssi"), marks + ["Anna", "Bert"]),
            (.init(rssi: -66, order: "rssi"), marks + ["Anna"]), (.init(hasBluetooth: false), []),
        ] as [(Request, [String])]
    )
    func lines(request: Request, expected: [String]) async throws {
        let result = await #expect(
            processExitsWith: request.hasBluetooth ? .exitCode(0) : .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [request] in
            try await ScanSessionTests.scan(request).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let shown = process.lines.map { line in
            ["Anna", "Bert"].first { line.contains("dBm  \"\($0)\"") } ?? line
        }
        #expect(shown == expected)
    }

    @Test("A device that comes near enough later is a line then, once")
    func comesNear() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await ScanSessionTests.scan(Request(name: "bert", rssi: -60))
            run.world.after(.seconds(3)) { run.world["Bert"]?.distance = 1 }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.map { $0.contains("\"Bert\"") ? "Bert" : $0 } == ["- 2", "Bert", "- before the end"])
    }

    @Test("Each report is a line with --duplicates, and an object in JSON")
    func reports() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await ScanSessionTests.scan(Request(name: "anna", duplicates: true, isJSON: true)).passMinute()
        }
        let process = try #require(result)
        let objects = process.lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(process.lines.count == objects.count + Self.marks.count)
        // Four advertisements, each with its scan response.
        #expect(objects.count == 8)
        #expect(objects.allSatisfy { $0["name"] as? String == "Anna" && $0["rssi"] as? Int == -45 })
    }
}
