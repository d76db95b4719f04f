// Why a service could not be added to the database: always an error of the local application.

/// The error for a service that the database refuses.
public enum GATTDatabaseError: Error, Hashable, Sendable {
    /// A value is longer than 512 octets (Vol 3, Part F, 3.2.9).
    case valueTooLong
    /// An included service is not in the database.
    case unknownIncludedService
    /// A descriptor is one that the server adds itself: Characteristic Extended Properties or Client Characteristic
    /// Configuration.
    case reservedDescriptor
    /// No handles are left.
    case outOfHandles
    /// The requested handles belong to another service, or exceed the handle range.
    case handlesInUse
}

extension GATTDatabaseError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .valueTooLong: "a value of the service is longer than \(ATT.maximumValueLength) octets"
        case .unknownIncludedService: "a service that is included is not in the database"
        case .reservedDescriptor: "the server itself makes the descriptors 2900 and 2902"
        case .handlesInUse: "the handles of the service are not free"
        case .outOfHandles: "the database has no handles left"
        }
    }
}
