// Characteristic Discovery (Vol 3, Part G, 4.6).

public import BluetoothTypes
public import NIOCore

/// Discovers the characteristics of a service, in the order of their handles.
///
/// Read By Type asks for all of them, and UUIDs are compared at the end: where a characteristic ends is known only from
/// the next one, whatever its UUID.
public struct DiscoverCharacteristics: GATTRequestProcedure {
    private let range: AttributeHandleRange
    private let filter: [BluetoothUUID]?
    private var start: AttributeHandle
    private var found: [GATTRemoteCharacteristic] = []

    /// Creates the procedure.
    /// - Parameters:
    ///   - service: The handles of the service.
    ///   - uuids: What to look for (4.6.2); `nil` for all characteristics (4.6.1).
    public init(of service: AttributeHandleRange, uuids: [BluetoothUUID]? = nil) {
        self.range = service
        self.filter = uuids
        self.start = service.lowerBound
    }

    /// Asks for declarations from the first handle of the service on.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTRemoteCharacteristic]> {
        .send(
            ATTReadByTypeRequest(
                start: self.start,
                end: self.range.upperBound,
                type: BluetoothUUID(GATTAttributeType.characteristic)
            )
        )
    }

    /// Takes declarations, and asks for those behind them.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[GATTRemoteCharacteristic]> {
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

    /// Ends if there are no more declarations; every other error ends the procedure without a result.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<[GATTRemoteCharacteristic]> {
        error.error == .attributeNotFound ? self.finish() : .fail(error)
    }

    private func finish() -> GATTStep<[GATTRemoteCharacteristic]> {
        guard let filter = self.filter else { return .succeed(self.found) }
        return .succeed(self.found.filter { filter.contains($0.uuid) })
    }
}
