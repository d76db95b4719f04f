// Services, characteristics and descriptors that a GATT client has discovered on a server (Vol 3, Part G, 4.4 to 4.7).

package import BluetoothTypes

/// A service of a remote server.
public struct GATTRemoteService: Hashable, Sendable {
    /// The service's UUID.
    package var uuid: BluetoothUUID
    /// The declaration's handle to the last handle of the service.
    public var handles: AttributeHandleRange
    /// Primary or secondary.
    package var isPrimary: Bool

    /// Creates a record.
    package init(uuid: BluetoothUUID, handles: AttributeHandleRange, isPrimary: Bool) {
        self.uuid = uuid
        self.handles = handles
        self.isPrimary = isPrimary
    }
}

/// A characteristic of a remote server.
public struct GATTRemoteCharacteristic: Hashable, Sendable {
    /// The characteristic's UUID.
    package var uuid: BluetoothUUID
    /// The properties octet.
    public var properties: CharacteristicProperties
    /// The handle of the declaration.
    package var declarationHandle: AttributeHandle
    /// The handle of the value.
    public var valueHandle: AttributeHandle
    /// The last handle that belongs to the characteristic: before the next declaration, or the end of the service.
    package var endHandle: AttributeHandle

    /// Creates a record.
    package init(
        uuid: BluetoothUUID,
        properties: CharacteristicProperties,
        declarationHandle: AttributeHandle,
        valueHandle: AttributeHandle,
        endHandle: AttributeHandle
    ) {
        self.uuid = uuid
        self.properties = properties
        self.declarationHandle = declarationHandle
        self.valueHandle = valueHandle
        self.endHandle = endHandle
    }
}

/// A descriptor of a remote server.
public struct GATTRemoteDescriptor: Hashable, Sendable {
    /// The descriptor's UUID.
    package var uuid: BluetoothUUID
    /// The descriptor's handle.
    public var handle: AttributeHandle

    /// Creates a record.
    package init(uuid: BluetoothUUID, handle: AttributeHandle) {
        self.uuid = uuid
        self.handle = handle
    }
}
