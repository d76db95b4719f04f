// `CBPeripheral.readValue(for:)` and `writeValue(_:for:)` of descriptors.

import BluetoothHost
import Foundation
import NIOCore

/// Reads the value of a descriptor.
struct DescriptorRead: PeripheralProcedure {
    let handle: AttributeHandle

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.handle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<ReadValue, ByteBuffer> {
        .ask(ReadValue(self.handle))
    }

    func apply(_ result: Result<ByteBuffer, GATTError>, to peripheral: CBPeripheral) {
        guard let descriptor = peripheral.descriptor(self.handle) else { return }
        if case .success(let octets) = result {
            let value = Self.value(of: descriptor, octets)
            peripheral.lock.withLock { descriptor.valueStorage = value }
        }
        peripheral.delegate?.peripheral(
            peripheral,
            didUpdateValueFor: descriptor,
            error: result.failure.map(coreBluetoothError)
        )
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

/// Writes the value of a descriptor and waits for the answer.
struct DescriptorWrite: PeripheralProcedure {
    let handle: AttributeHandle
    let value: ByteBuffer

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.handle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<WriteValue, Void> {
        .write(self.value, to: self.handle)
    }

    func apply(_ result: Result<Void, GATTError>, to peripheral: CBPeripheral) {
        guard let descriptor = peripheral.descriptor(self.handle) else { return }
        peripheral.delegate?.peripheral(
            peripheral,
            didWriteValueFor: descriptor,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
