// Controllers on real sockets: those that are bridged, and those that are interviewed.

import BluetoothAir
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import NIOCore
import SessionTestbed
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("A controller on a socket")
struct CorebluetoothControllerTests {
    @Test(
        "that is not there, and an address that is taken, are named by a bridge with the cause",
        arguments: [false, true]
    )
    func bridge(hasController: Bool) async throws {
        let folder = try TemporaryFolder()
        let controller = RawSocket(descriptor: try SocketFile.listen(at: folder("controller.sock")))
        try Data().write(to: URL(fileURLWithPath: folder("taken")))
        let path = folder(hasController ? "controller.sock" : "none.sock")
        let events = Watched<[Bridge.Event]>([])
        let bridge = Bridge(.h4(.unix(path: path)), at: .unix(path: folder("taken"))) { event in
            events.update { $0.append(event) }
        }
        try #require(await events.wait { !$0.isEmpty }, "the bridge reports nothing")
        guard case .failed(let words)? = events.value.first else {
            Issue.record("\(events.value)")
            return
        }
        #expect(words.contains(folder(hasController ? "taken" : "none.sock")), "\(words)")
        #expect(!words.contains("TransportError"), "\(words)")
        withExtendedLifetime((controller, bridge)) {}
    }

    /// The report of an interview, or the line of its failure.
    private func interview(
        _ adapter: AdapterName,
        roundTrips: Int = 1,
        timeout: TimeAmount = ControllerProbe.commandTimeout
    ) async -> Result<ControllerReport, Failure> {
        await withCheckedContinuation { continuation in
            ControllerProbe.start(adapter, roundTrips: roundTrips, timeout: timeout) {
                continuation.resume(returning: $0)
            }
        }
    }

    private func failure(_ result: Result<ControllerReport, Failure>) -> String {
        switch result {
        case .success: "none"
        case .failure(let failure): failure.line
        }
    }

    @Test("is interviewed whole if it answers everything, with as many times as were asked for", arguments: [0, 3])
    func answers(roundTrips: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder("air")
        let count = Watched(0)
        let plan = AirService.Plan(
            addresses: [.unix(path: path)],
            settings: .instant,
            seed: 1,
            captureFile: nil,
            hostLimit: 8
        )
        let air = AirService(plan) { _ in count.update { $0 += 1 } }
        try #require(await count.wait { $0 > 0 }, "the air does not listen")
        let report = try await interview(.air(.unix(path: path)), roundTrips: roundTrips).get()
        #expect(report.roundTrips.count == roundTrips && report.unanswered.isEmpty)
        #expect(report.version != nil && report.address != nil && report.commands != nil)
        #expect(report.features != nil && report.buffers != nil)
        withExtendedLifetime((air, folder)) {}
    }

    @Test("that is not there is named with the cause by an interview")
    func absent() async throws {
        let folder = try TemporaryFolder()
        let words = failure(await interview(.h4(.unix(path: folder("none.sock")))))
        #expect(words.contains(folder("none.sock")) && !words.contains("TransportError"), "\(words)")
    }

    @Test("that goes, or refuses Reset, ends the interview with the reason", arguments: [false, true])
    func ends(refuses: Bool) async throws {
        let folder = try TemporaryFolder()
        let listener = RawSocket(descriptor: try SocketFile.listen(at: folder("a.sock")))
        let thread = Thread {
            let peer = RawSocket(descriptor: accept(listener.descriptor, nil, nil))
            guard peer.read(4) == [0x01, 0x03, 0x0C, 0x00] else { return }
            if refuses { peer.send([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x0C]) }
            _ = refuses ? peer.read(1) : []
        }
        thread.start()
        let words = failure(await interview(.h4(.unix(path: folder("a.sock")))))
        #expect(
            words.hasPrefix(refuses ? "the controller refuses HCI Reset: " : "the controller is gone: "),
            "\(words)"
        )
    }

    @Test("that does not answer Reset within 5 s ends the interview, and its connection is closed")
    func silent() async throws {
        #expect(ControllerProbe.commandTimeout == .seconds(5))
        let folder = try TemporaryFolder()
        let listener = RawSocket(descriptor: try SocketFile.listen(at: folder("a.sock")))
        let words = failure(await interview(.h4(.unix(path: folder("a.sock"))), timeout: .milliseconds(50)))
        #expect(words == "the controller does not answer HCI Reset; check that it is connected")
        let peer = RawSocket(descriptor: accept(listener.descriptor, nil, nil))
        #expect(peer.read(5) == [0x01, 0x03, 0x0C, 0x00])
        #expect(peer.endsWithin20Seconds())
    }
}
