// `CBPeripheral.readValue(for:)` and `writeValue(_:for:type:)` with response, of characteristics. Writes without response
// are no procedure: see `PeripheralConnection.writeWithoutResponse(_:to:invalidations:)`.

import BluetoothHost
import NIOCore

/// Reads the value of a characteristic.
struct CharacteristicRead: PeripheralProcedure {
    let handle: AttributeHandle

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.handle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<ReadValue, ByteBuffer> {
        .ask(ReadValue(self.handle))
    }

    func apply(_ result: Result<ByteBuffer, GATTError>, to peripheral: CBPeripheral) {
        switch result {
        case .success(let value): peripheral.received(value, for: self.handle)
        case .failure(let error):
            guard let characteristic = peripheral.characteristic(self.handle) else { return }
            peripheral.delegate?.peripheral(
                peripheral,
                didUpdateValueFor: characteristic,
                error: coreBluetoothError(error)
            )
        }
    }
}

/// Writes the value of a characteristic and waits for the answer.
struct CharacteristicWrite: PeripheralProcedure {
    let handle: AttributeHandle
    let value: ByteBuffer

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.handle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<WriteValue, Void> {
        .write(self.value, to: self.handle)
    }

    func apply(_ result: Result<Void, GATTError>, to peripheral: CBPeripheral) {
        guard let characteristic = peripheral.characteristic(self.handle) else { return }
        peripheral.delegate?.peripheral(
            peripheral,
            didWriteValueFor: characteristic,
            error: result.failure.map(coreBluetoothError)
        )
    }
}

extension ProcedureStep<WriteValue, Void> {
    /// The longest value that an attribute has, in octets (Vol 3, Part F, 3.2.9).
    private static var valueLimit: Int { 512 }

    /// Writes a value; the server is not asked for one that no attribute can have.
    static func write(_ value: ByteBuffer, to handle: AttributeHandle) -> Self {
        value.readableBytes <= Self.valueLimit
            ? .ask(WriteValue(value, to: handle))
            : .answer(.failure(.att(.invalidAttributeValueLength, handle: handle)))
    }
}
