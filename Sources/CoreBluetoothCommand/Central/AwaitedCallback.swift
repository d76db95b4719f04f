// The callback of Core Bluetooth that answers the waiting call of `Central`.

/// The callback that a call waits for.
enum AwaitedCallback: Hashable {
    case power
    case discovery
    case connection
    case disconnection
    case services
    case includedServices(ObjectIdentifier)
    case characteristics(ObjectIdentifier)
    case descriptors(ObjectIdentifier)
    case value(ObjectIdentifier)
    case written(ObjectIdentifier)
    case notifying(ObjectIdentifier)
    case writability
    case strength
    case channel
    case pairing
    case link
}
