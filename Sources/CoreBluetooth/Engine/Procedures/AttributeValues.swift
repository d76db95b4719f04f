// `CBPeripheral.readValue(for:)` and `writeValue(_:for:…)` with response, of characteristics and of descriptors. Writes
// without response are no procedure: see `PeripheralConnection.writeWithoutResponse(_:to:invalidations:)`.

import BluetoothHost
import Foundation
import NIOCore

/// An attribute whose value is read or written.
enum ValueAttribute: Sendable {
    case characteristic(AttributeHandle)
    case descriptor(AttributeHandle)

    /// The handle of the value.
    var handle: AttributeHandle {
        switch self {
        case .characteristic(let handle), .descriptor(let handle): handle
        }
    }
}

/// Reads a value.
struct ValueRead: PeripheralProcedure {
    let attribute: ValueAttribute

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.attribute.handle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<ReadValue, ByteBuffer> {
        .ask(ReadValue(self.attribute.handle))
    }

    func apply(_ result: Result<ByteBuffer, GATTError>, to peripheral: CBPeripheral) {
        let error = result.failure.map(coreBluetoothError)
        switch (self.attribute, result) {
        case (.characteristic(let handle), .success(let value)): peripheral.received(value, for: handle)
        case (.characteristic(let handle), .failure):
            guard let characteristic = peripheral.characteristic(handle) else { return }
            peripheral.informedDelegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        case (.descriptor(let handle), _):
            guard let descriptor = peripheral.descriptor(handle) else { return }
            if case .success(let octets) = result {
                let value = Self.value(of: descriptor, octets)
                peripheral.lock.withLock { descriptor.valueStorage = value }
            }
            peripheral.informedDelegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        }
    }

    /// A descriptor's value in the type that Core Bluetooth gives it.
    private static func value(of descriptor: CBDescriptor, _ value: ByteBuffer) -> Any {
        switch descriptor.uuid.value.shortValue {
        case 0x2900, 0x2902, 0x2903:
            let number = value.readableBytesView.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            return NSNumber(value: number)
        case 0x2901: return NSString(string: String(buffer: value))
        default: return NSData(data: Data(octetsOf: value))
        }
    }
}

/// Writes a value and waits for the answer.
struct ValueWrite: PeripheralProcedure {
    let attribute: ValueAttribute
    let value: ByteBuffer

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.attribute.handle) }

    /// The server is not asked for a value that no attribute can have.
    func begin(for connection: PeripheralConnection) -> ProcedureStep<WriteValue, Void> {
        self.value.readableBytes <= ATT.maximumValueLength
            ? .ask(WriteValue(self.value, to: self.attribute.handle))
            : .answer(.failure(.att(.invalidAttributeValueLength, handle: self.attribute.handle)))
    }

    func apply(_ result: Result<Void, GATTError>, to peripheral: CBPeripheral) {
        let error = result.failure.map(coreBluetoothError)
        switch self.attribute {
        case .characteristic(let handle):
            guard let characteristic = peripheral.characteristic(handle) else { return }
            peripheral.informedDelegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
        case .descriptor(let handle):
            guard let descriptor = peripheral.descriptor(handle) else { return }
            peripheral.informedDelegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
        }
    }
}
