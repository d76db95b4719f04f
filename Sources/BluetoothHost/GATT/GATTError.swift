// How a GATT procedure fails.

public import BluetoothHCI

/// Why a GATT procedure did not end well.
public enum GATTError: Error, Hashable, Sendable {
    /// The server answered with an error; `handle` is the attribute that it names.
    case att(ATTErrorCode, handle: AttributeHandle)
    /// The link ended first.
    case disconnected(HCIErrorCode)
    /// The server did not answer within 30 s; the link is of no more use (Vol 3, Part F, 3.3.3).
    case transactionTimeout
    /// The server answered with octets that the specification does not allow.
    case malformedResponse
    /// There is no such link.
    case notConnected
    /// The prepared value came back altered; nothing was written (Vol 3, Part G, 4.9.5).
    case reliableWriteMismatch
}
