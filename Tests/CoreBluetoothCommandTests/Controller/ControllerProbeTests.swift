// An interview that comes to nothing: a controller that is not there, goes, or refuses.

import BluetoothHCI
import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("An interview with a controller", .timeLimit(.minutes(2)))
struct ControllerProbeTests {
    private func interview(_ path: String) async -> Result<ControllerReport, Failure> {
        await withCheckedContinuation { continuation in
            ControllerProbe.start(.h4(.unix(path: path)), roundTrips: 1) { continuation.resume(returning: $0) }
        }
    }

    private func failure(_ result: Result<ControllerReport, Failure>) -> String {
        switch result {
        case .success: "none"
        case .failure(let failure): failure.line
        }
    }

    @Test("A controller that is not there is named with the cause")
    func absent() async throws {
        let folder = try TemporaryFolder()
        let words = failure(await interview(folder("none.sock")))
        #expect(words.contains(folder("none.sock")) && !words.contains("TransportError"), "\(words)")
    }

    @Test("A controller that goes, or refuses Reset, ends it with the reason", arguments: [false, true])
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
        let words = failure(await interview(folder("a.sock")))
        #expect(
            words.hasPrefix(refuses ? "the controller refuses HCI Reset: " : "the controller is gone: "),
            "\(words)"
        )
    }
}
