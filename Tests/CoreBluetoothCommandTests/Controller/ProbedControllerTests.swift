// An interview with a controller on a real socket that answers everything, and with one that answers nothing.

import BluetoothAir
import CommandLineTool
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("A controller that is interviewed", .timeLimit(.minutes(2)))
struct ProbedControllerTests {
    @Test("A controller that answers everything is reported whole, with as many times as were asked for")
    func answers() async throws {
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
        await count.wait { $0 > 0 }
        for roundTrips in [0, 3] {
            let words: [String] = await withCheckedContinuation { continuation in
                ControllerProbe.start(.air(.unix(path: path)), roundTrips: roundTrips) { result in
                    switch result {
                    case .success(let report):
                        let parts = [
                            "\(report.roundTrips.count)", "\(report.unanswered)", "\(report.version != nil)",
                            "\(report.address != nil)", "\(report.commands != nil)", "\(report.features != nil)",
                            "\(report.buffers != nil)",
                        ]
                        continuation.resume(returning: parts)
                    case .failure(let failure): continuation.resume(returning: [failure.line])
                    }
                }
            }
            #expect(words == ["\(roundTrips)", "[]", "true", "true", "true", "true", "true"])
        }
        withExtendedLifetime(air) {}
        withExtendedLifetime(folder) {}
    }

    @Test("A controller that does not answer Reset in its time is not to be had; it has 5 s")
    func silent() async throws {
        #expect(ControllerProbe.commandTimeout == .seconds(5))
        let folder = try TemporaryFolder()
        let listener = RawSocket(descriptor: try SocketFile.listen(at: folder("a.sock")))
        let path = folder("a.sock")
        let words: String = await withCheckedContinuation { continuation in
            ControllerProbe.start(
                .h4(.unix(path: path)),
                roundTrips: 1,
                timeout: .milliseconds(50)
            ) { result in
                switch result {
                case .success: continuation.resume(returning: "none")
                case .failure(let failure): continuation.resume(returning: failure.line)
                }
            }
        }
        #expect(words == "the controller does not answer HCI Reset; check that it is connected")
        // The connection was closed behind the Reset.
        let peer = RawSocket(descriptor: accept(listener.descriptor, nil, nil))
        #expect(peer.read(5) == [0x01, 0x03, 0x0C, 0x00])
        #expect(peer.endsWithin20Seconds())
        withExtendedLifetime(folder) {}
    }
}
