// Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1).

public import BluetoothTypes
public import NIOCore

/// Discovers the descriptors of a characteristic, in the order of their handles.
public struct DiscoverDescriptors: GATTRequestProcedure {
    /// The handle to go on with; beyond `end` if nothing is left.
    private var start: Int
    private let end: AttributeHandle
    private var found: [GATTRemoteDescriptor] = []

    /// Creates the procedure.
    public init(of characteristic: GATTRemoteCharacteristic) {
        self.start = Int(characteristic.valueHandle) + 1
        self.end = characteristic.endHandle
    }

    /// Creates the procedure for all attributes with these handles, whatever they are: by their types a debugger tells
    /// declarations from values and descriptors.
    public init(in handles: AttributeHandleRange) {
        self.start = Int(handles.lowerBound)
        self.end = handles.upperBound
    }

    /// Asks for handles and types behind the value.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTRemoteDescriptor]> {
        guard let start = AttributeHandle(exactly: self.start), start <= self.end else {
            return .succeed(self.found)
        }
        return .send(ATTFindInformationRequest(start: start, end: self.end))
    }

    /// Takes descriptors, and asks for those behind them.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[GATTRemoteDescriptor]> {
        for (handle, type) in try ATTFindInformationResponse(parsing: response).list {
            guard Int(handle) >= self.start, handle <= self.end else {
                throw MalformedBytes(.invalid, "Attribute Handle")
            }
            self.found.append(GATTRemoteDescriptor(uuid: type, handle: handle))
            self.start = Int(handle) + 1
        }
        return self.begin(mtu: mtu)
    }

    /// Ends if there are no more descriptors; every other error ends the procedure without a result.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<[GATTRemoteDescriptor]> {
        error.error == .attributeNotFound ? .succeed(self.found) : .fail(error)
    }
}
