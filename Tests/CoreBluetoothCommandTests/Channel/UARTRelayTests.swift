import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The UART of a device")
@MainActor
struct UARTRelayTests {
    private static let (service, rx, tx) = (CBUUID(string: "FFE0"), CBUUID(string: "FFE1"), CBUUID(string: "FFE2"))

    /// A device that sends back what is written to it.
    private static func echo(_ properties: CBCharacteristicProperties, _ received: Watched<Data>) -> ScriptedPeripheral
    {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(
                rx,
                properties: properties,
                onWrite: { data, device in
                    received.update { $0 += data }
                    device.notify(data, for: tx)
                    return .value(data)
                }
            ), .init(tx, properties: .notify),
        ]
        return ScriptedPeripheral(name: "Modem", services: [.init(service, characteristics: characteristics)])
    }

    private static func input(_ data: Data) -> AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(data)
            continuation.finish()
        }
    }

    @Test(
        "carries the whole input to the device, and what it notifies to the output",
        arguments: [.writeWithoutResponse, .write] as [CBCharacteristicProperties]
    )
    func both(properties: CBCharacteristicProperties) throws {
        let (received, written) = (Watched(Data()), Watched(Data()))
        let tool = try ConnectedTool(Self.echo(properties, received))
        let sent = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let done = #expect(throws: Failure.self) {
            try tool.testbed.perform {
                try await UARTRelay(tool.connection, service: Self.service, rx: .init(Self.rx), tx: .init(Self.tx))
                    .run(Self.input(sent), quietTime: nil) { data in
                        written.update { $0 += data }
                        if written.value.count == sent.count { throw Failure("all of it") }
                    }
            }
        }
        #expect(done?.line == "all of it")
        #expect(received.value == sent && written.value == sent)
    }

    @Test("ends when the connection is lost, and says so")
    func lost() throws {
        let tool = try ConnectedTool(Self.echo(.writeWithoutResponse, Watched(Data())))
        tool.world.after(.seconds(5)) { tool.device.dropLinks() }
        let failure = #expect(throws: Failure.self) {
            try tool.testbed.perform {
                try await UARTRelay(tool.connection, service: Self.service, rx: .init(Self.rx), tx: .init(Self.tx))
                    .run(Self.input(Data()), quietTime: nil) { _ in }
            }
        }
        #expect(failure?.line.hasPrefix("\"Modem\" has disconnected: ") == true && failure?.kind == .notConnected)
    }

    @Test("is missing at a device without its characteristics, which the line names")
    func missing() throws {
        let tool = try ConnectedTool([])
        let failure = #expect(throws: Failure.self) {
            try tool.testbed.perform {
                _ = try await UARTRelay(tool.connection, service: Self.service, rx: .init(Self.rx), tx: .init(Self.tx))
            }
        }
        #expect(failure?.line.hasPrefix("the device has no characteristic FFE1 in the service FFE0; ") == true)
    }
}
