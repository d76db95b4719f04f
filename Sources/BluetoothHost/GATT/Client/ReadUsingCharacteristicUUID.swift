// Read Using Characteristic UUID (Vol 3, Part G, 4.8.2).

public import BluetoothTypes
public import NIOCore

/// Reads the first values of a type in a range of handles, as many as one response holds.
public struct ReadUsingCharacteristicUUID: GATTRequestProcedure {
    private let type: BluetoothUUID
    private let range: AttributeHandleRange

    /// Creates the procedure.
    /// - Parameters:
    ///   - type: The UUID of the characteristics.
    ///   - range: The handles among which they are looked for.
    package init(_ type: BluetoothUUID, in range: AttributeHandleRange) {
        self.type = type
        self.range = range
    }

    /// Sends the one request.
    public mutating func begin(mtu: Int) -> GATTStep<[AttributeValue]> {
        .send(ATTReadByTypeRequest(start: self.range.lowerBound, end: self.range.upperBound, type: self.type))
    }

    /// Takes the values.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<[AttributeValue]>
    {
        var values: [AttributeValue] = []
        var expected = Int(self.range.lowerBound)
        for (handle, value) in try ATTReadByTypeResponse(parsing: response).list {
            guard Int(handle) >= expected, handle <= self.range.upperBound else {
                throw MalformedBytes(.invalid, "Attribute Handle")
            }
            values.append(AttributeValue(handle: handle, value: value))
            expected = Int(handle) + 1
        }
        return .succeed(values)
    }
}
