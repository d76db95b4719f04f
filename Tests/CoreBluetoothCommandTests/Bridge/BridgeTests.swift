// A bridge whose controller or place is not to be had says so, and why.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("A bridge", .timeLimit(.minutes(2)))
struct BridgeTests {
    private func firstEvent(_ adapter: AdapterName, at address: StreamAddress) async -> Bridge.Event {
        let events = Watched<[Bridge.Event]>([])
        let bridge = Bridge(adapter, at: address) { event in events.update { $0.append(event) } }
        await events.wait { !$0.isEmpty }
        return withExtendedLifetime(bridge) { events.value[0] }
    }

    @Test(
        "A controller that is not there, and a place that is taken, are named with the cause",
        arguments: [false, true]
    )
    func failures(hasController: Bool) async throws {
        let folder = try TemporaryFolder()
        let controller = RawSocket(descriptor: try SocketFile.listen(at: folder("controller.sock")))
        try Data().write(to: URL(fileURLWithPath: folder("taken")))
        let path = folder(hasController ? "controller.sock" : "none.sock")
        let event = await firstEvent(.h4(.unix(path: path)), at: .unix(path: folder("taken")))
        guard case .failed(let words) = event else {
            Issue.record("\(event)")
            return
        }
        withExtendedLifetime(controller) {
            #expect(words.contains(folder(hasController ? "taken" : "none.sock")), "\(words)")
            #expect(!words.contains("TransportError"), "\(words)")
        }
    }
}
