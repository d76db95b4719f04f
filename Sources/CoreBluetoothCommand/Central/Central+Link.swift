// Why a connection was not made, its end, its parameters, and all attributes of the device. Core Bluetooth has no calls
// for most of it.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

extension Central {
    /// A device in a sentence.
    static func name(_ peripheral: CBPeripheral) -> String {
        peripheral.name.map(PrintableText.quoted) ?? peripheral.identifier.uuidString
    }

    /// Why there was no connection in time: whether the device was heard, and whether it takes connections.
    func lateConnection(_ peripheral: CBPeripheral, _ timeout: TimeInterval) -> String {
        let (name, time) = (Self.name(peripheral), SecondsText.text(timeout))
        return switch lastHeard[peripheral.identifier] {
        case .notConnectable?: "\(name) is there and takes no connections: it only advertises"
        case .connectable?: "\(name) was heard, but did not connect within \(time)"
        case nil: "\(name) was not there to connect to within \(time)"
        }
    }

    /// Ends the link.
    func disconnect() async {
        guard let peripheral, peripheral.state != .disconnected else { return }
        onDisconnection = nil
        try? await wait(.disconnection, 3, Failure("no end", .timedOut), doing: "disconnecting") {
            manager?.cancelPeripheralConnection(peripheral)
        }
    }

    /// Ends the link, or the attempt to connect, without waiting; the call under way fails.
    func cancelConnection() {
        guard let peripheral, peripheral.state != .disconnected else { return }
        manager?.cancelPeripheralConnection(peripheral)
    }

    /// Interval, latency, supervision timeout, PHYs and MTU.
    func linkParameters() async throws -> BluetoothAdapter.LinkParameters {
        try await answer("reading how the connection is carried") {
            BluetoothAdapter.default.readLinkParameters(of: $0, $1)
        }
    }

    /// Asks for PHYs in both directions; returns those that the connection has then.
    func setPHYs(_ phys: PHYSet) async throws -> LinkPHYs {
        let preference = PHYPreference(transmitter: phys, receiver: phys)
        return try await answer("asking for the PHY \(phys)") {
            BluetoothAdapter.default.setPHYs(of: $0, to: preference, $1)
        }
    }

    /// Asks for an interval, a latency and a supervision timeout; returns those that the connection has then.
    func updateConnection(_ parameters: ConnectionParameters) async throws -> LinkTiming {
        try await answer("asking for connection parameters") {
            BluetoothAdapter.default.updateConnection(to: $0, parameters, $1)
        }
    }

    /// Every attribute of the device, also those that Core Bluetooth keeps from apps.
    func attributes() async throws -> [BluetoothAdapter.RemoteAttribute] {
        try await answer("discovering the attributes") {
            BluetoothAdapter.default.discoverAttributes(of: $0, $1)
        }
    }

    /// An answer on its way to the main actor.
    @MainActor
    private final class Answer<Value: Sendable, Reason: Error> {
        var result: Result<Value, Reason>?
    }

    /// Waits for what the adapter's event loop reports.
    private func answer<Value: Sendable, Reason: Error>(
        _ doing: String,
        _ start: (UUID, @escaping @Sendable (Result<Value, Reason>) -> Void) -> Void
    ) async throws -> Value {
        guard let peripheral, peripheral.state == .connected else {
            throw Failure("the device is not connected", .notConnected)
        }
        let answer = Answer<Value, Reason>()
        let limit = procedureTimeout
        let late = Failure("\(doing) took more than \(SecondsText.text(limit))", .timedOut)
        try await wait(.link, limit, late, doing: doing) {
            start(peripheral.identifier) { result in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        answer.result = result
                        self.end(.link, nil)
                    }
                }
            }
        }
        switch answer.result {
        case .success(let value): return value
        case .failure(let error): throw Failure("\(doing) failed: \(error)")
        case nil: throw Failure("\(doing) failed")
        }
    }
}
