import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A channel between an input and an output")
@MainActor
struct ChannelRelayTests {
    /// An input of one piece.
    private static func input(_ data: Data) -> AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(data)
            continuation.finish()
        }
    }

    @Test("has sent everything when the input has ended and nothing is waited for", arguments: [1, 400_000])
    func tail(count: Int) throws {
        let received = Watched(Data())
        let channel = ScriptedPeripheral.Channel(psm: 192, onData: { data, _ in received.update { $0 += data } })
        let tool = try ConnectedTool(ScriptedPeripheral(name: "Sink", channels: [channel]))
        let central = tool.testbed.central
        let sent = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try tool.testbed.perform {
            try await ChannelRelay(try await central.openChannel(192), central)
                .run(Self.input(sent), quietTime: 0) { _ in }
            // As at the end of the command.
            await central.disconnect()
        }
        #expect(received.value == sent, "\(received.value.count)")
    }
}
