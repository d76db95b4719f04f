// `CBPeripheral.readValue(for:)` and `writeValue(_:for:…)` with response, of characteristics and of descriptors. Writes
// without response are not operations: see `PeripheralConnection.writeWithoutResponse(_:to:invalidations:)`.

import BluetoothHost
import Foundation
import NIOCore

/// Reads a value.
final class ValueRead: PeripheralOperation {
    private var procedure: ReadValue
    private var value = ByteBuffer()

    override init(_ subject: Subject) {
        self.procedure = ReadValue(subject.handle)
        super.init(subject)
    }

    override func ask(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        if case .turn = event { self.procedure = ReadValue(self.subject.handle) }
        return self.follow(&self.procedure, event, mtu: mtu) { self.value = $0 }
    }

    override func apply(to peripheral: CBPeripheral) {
        switch self.subject {
        case .characteristic(let characteristic?, _): characteristic.setValue(self.value)
        case .descriptor(let descriptor, _): descriptor.valueStorage = Self.value(of: descriptor, self.value)
        case .peripheral, .service, .characteristic: break
        }
    }

    override func inform(_ delegate: any CBPeripheralDelegate, of peripheral: CBPeripheral) {
        switch self.subject {
        case .characteristic(let characteristic?, _):
            delegate.peripheral(peripheral, didUpdateValueFor: characteristic, error: self.reportedError)
        case .descriptor(let descriptor, _):
            delegate.peripheral(peripheral, didUpdateValueFor: descriptor, error: self.reportedError)
        case .peripheral, .service, .characteristic: break
        }
    }

    /// A descriptor's value in the type that Core Bluetooth gives it.
    private static func value(of descriptor: CBDescriptor, _ value: ByteBuffer) -> Any {
        switch descriptor.uuid.value.shortValue {
        case GATTAttributeType.extendedProperties, GATTAttributeType.clientConfiguration,
            GATTAttributeType.serverConfiguration:
            let number = value.readableBytesView.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            return NSNumber(value: number)
        case GATTAttributeType.userDescription: return NSString(string: String(buffer: value))
        default: return NSData(data: Data(octetsOf: value))
        }
    }

    override var call: String { "readValue(for: \(words(self.subject)))" }

    override var callback: String {
        let result = self.failure.map(words) ?? ": \(self.value.readableBytes) octets"
        return "didUpdateValueFor \(words(self.subject))\(result)"
    }
}

/// Writes a value and waits for the answer.
final class ValueWrite: PeripheralOperation {
    private let value: ByteBuffer
    private var procedure: WriteValue

    init(_ value: ByteBuffer, to subject: Subject) {
        self.value = value
        self.procedure = WriteValue(value, to: subject.handle)
        super.init(subject)
    }

    /// A value that no attribute can have is refused without asking the server.
    override func mustAsk(for connection: PeripheralConnection) -> Bool {
        guard self.value.readableBytes > ATT.maximumValueLength else { return true }
        self.fail(.invalidAttributeValueLength, handle: self.subject.handle)
        return false
    }

    override func ask(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        if case .turn = event { self.procedure = WriteValue(self.value, to: self.subject.handle) }
        return self.follow(&self.procedure, event, mtu: mtu) {}
    }

    override func inform(_ delegate: any CBPeripheralDelegate, of peripheral: CBPeripheral) {
        switch self.subject {
        case .characteristic(let characteristic?, _):
            delegate.peripheral(peripheral, didWriteValueFor: characteristic, error: self.reportedError)
        case .descriptor(let descriptor, _):
            delegate.peripheral(peripheral, didWriteValueFor: descriptor, error: self.reportedError)
        case .peripheral, .service, .characteristic: break
        }
    }

    override var call: String {
        let type = if case .characteristic = self.subject { ", type: .withResponse" } else { "" }
        return "writeValue(\(self.value.readableBytes) octets, for: \(words(self.subject))\(type))"
    }

    override var callback: String { "didWriteValueFor \(words(self.subject))\(words(self.failure))" }
}

extension PeripheralOperation.Subject {
    /// The handle of the value that is read or written.
    fileprivate var handle: AttributeHandle {
        switch self {
        case .characteristic(_, let record): record.valueHandle
        case .descriptor(_, let handle): handle
        case .peripheral, .service: preconditionFailure("neither has a value")
        }
    }
}
