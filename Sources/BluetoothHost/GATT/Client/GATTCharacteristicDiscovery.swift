// Finding the characteristics of a service and the descriptors of a characteristic (Vol 3, Part G, 4.6 and 4.7).

import BluetoothTypes
import NIOCore

/// All characteristics of a service, with Read By Type (Vol 3, Part G, 4.6.1).
///
/// A filter is applied at the end (4.6.2): where a characteristic ends is known only from the next one, whatever its
/// UUID.
struct GATTCharacteristicDiscovery: GATTClientProcedure {
    private let range: AttributeHandleRange
    private let filter: [BluetoothUUID]?
    private var start: AttributeHandle
    private var found: [GATTRemoteCharacteristic] = []

    init(of service: AttributeHandleRange, uuids: [BluetoothUUID]?) {
        self.range = service
        self.filter = uuids
        self.start = service.lowerBound
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        .send(
            ATTReadByTypeRequest(
                start: self.start,
                end: self.range.upperBound,
                type: BluetoothUUID(GATTAttributeType.characteristic)
            )
        )
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        let list = try ATTReadByTypeResponse(parsing: response).list
        let uuidLength = list.entryLength - 5
        guard uuidLength == 2 || uuidLength == 16 else { throw MalformedBytes(.invalid, "Length") }
        let end = self.range.upperBound
        var expected = Int(self.start)
        for (handle, value) in list {
            var value = value
            let properties: UInt8 = try value.readLittleEndian("Characteristic Properties")
            let valueHandle: AttributeHandle = try value.readLittleEndian("Characteristic Value Handle")
            let uuid = try BluetoothUUID(parsing: &value, length: uuidLength)
            // The value comes behind its declaration and before the next one (3.3.2).
            guard Int(handle) >= expected, valueHandle > handle, valueHandle <= end else {
                throw MalformedBytes(.invalid, "Attribute Handle")
            }
            if let last = self.found.indices.last {
                guard self.found[last].valueHandle < handle else {
                    throw MalformedBytes(.invalid, "Characteristic Value Handle")
                }
                self.found[last].endHandle = handle - 1
            }
            self.found.append(
                GATTRemoteCharacteristic(
                    uuid: uuid,
                    properties: CharacteristicProperties(rawValue: properties),
                    declarationHandle: handle,
                    valueHandle: valueHandle,
                    endHandle: end
                )
            )
            expected = Int(handle) + 1
        }
        // A declaration is never the last attribute, so there is a handle behind it.
        guard expected <= Int(end) else { return self.finish() }
        self.start = AttributeHandle(expected)
        return self.begin(mtu: mtu)
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        error.error == .attributeNotFound ? self.finish() : .fail(error)
    }

    private func finish() -> GATTClientStep {
        guard let filter = self.filter else { return .succeed(.characteristics(self.found)) }
        return .succeed(.characteristics(self.found.filter { filter.contains($0.uuid) }))
    }
}

/// All descriptors of a characteristic, with Find Information (Vol 3, Part G, 4.7.1).
struct GATTDescriptorDiscovery: GATTClientProcedure {
    /// The handle to go on with; beyond `end` where nothing is left.
    private var start: Int
    private let end: AttributeHandle
    private var found: [GATTRemoteDescriptor] = []

    init(of characteristic: GATTRemoteCharacteristic) {
        self.start = Int(characteristic.valueHandle) + 1
        self.end = characteristic.endHandle
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        guard let start = AttributeHandle(exactly: self.start), start <= self.end else {
            return .succeed(.descriptors(self.found))
        }
        return .send(ATTFindInformationRequest(start: start, end: self.end))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        for (handle, type) in try ATTFindInformationResponse(parsing: response).list {
            guard Int(handle) >= self.start, handle <= self.end else {
                throw MalformedBytes(.invalid, "Attribute Handle")
            }
            self.found.append(GATTRemoteDescriptor(uuid: type, handle: handle))
            self.start = Int(handle) + 1
        }
        return self.begin(mtu: mtu)
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        error.error == .attributeNotFound ? .succeed(.descriptors(self.found)) : .fail(error)
    }
}
