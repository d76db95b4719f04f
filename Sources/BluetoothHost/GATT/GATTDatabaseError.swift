// Why a service could not be added to the database: always a mistake of the local application.

/// A service that the database refuses.
public enum GATTDatabaseError: Error, Hashable, Sendable {
    /// A value is longer than the 512 octets that an attribute can have (Vol 3, Part F, 3.2.9).
    case valueTooLong
    /// An included service is not in the database.
    case unknownIncludedService
    /// The server makes Characteristic Extended Properties and Client Characteristic Configurations by itself.
    case reservedDescriptor
    /// No handles are left.
    case outOfHandles
    /// The handles that a service asks for belong to another one, or are more than there are.
    case handlesInUse
}

extension GATTDatabaseError: CustomStringConvertible {
    /// One line that says what is wrong with the service.
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
