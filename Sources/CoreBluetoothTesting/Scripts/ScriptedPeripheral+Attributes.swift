// The services, characteristics and descriptors of a scripted peripheral.

import BluetoothHost
public import CoreBluetooth

/// A UUID: a `CBUUID`, or text such as `"2A37"`.
public protocol CBUUIDConvertible {
    /// The UUID.
    var cbUUID: CBUUID { get }
}

extension CBUUID: CBUUIDConvertible {
    /// The UUID itself.
    public var cbUUID: CBUUID { self }
}

extension String: CBUUIDConvertible {
    /// The UUID that the text spells; any other text traps.
    public var cbUUID: CBUUID { CBUUID(string: self) }
}

extension ScriptedPeripheral {
    /// A service.
    public struct Service {
        /// Its UUID.
        public var uuid: CBUUID
        /// Whether it is primary or secondary.
        public var isPrimary: Bool
        /// Its characteristics, in order.
        public var characteristics: [Characteristic]
        /// The UUIDs of included services, which must also be in the script.
        public var includes: [CBUUID]
        /// The attribute handle of its declaration; `nil` for the next free one.
        public var handle: UInt16?

        /// Creates a service.
        public init(
            _ uuid: some CBUUIDConvertible,
            isPrimary: Bool = true,
            characteristics: [Characteristic],
            includes: [CBUUID] = [],
            handle: UInt16? = nil
        ) {
            self.uuid = uuid.cbUUID
            self.isPrimary = isPrimary
            self.characteristics = characteristics
            self.includes = includes
            self.handle = handle
        }
    }

    /// The security that a characteristic requires before it is read, written or subscribed to.
    public enum Security: Hashable, Sendable {
        /// None.
        case none
        /// Encryption, whatever the kind of pairing.
        case encrypted
        /// Encryption after a pairing with a code.
        case authenticated
    }

    /// A characteristic. Its properties determine its permissions.
    public struct Characteristic {
        /// Its UUID.
        public var uuid: CBUUID
        /// Its properties.
        public var properties: CBCharacteristicProperties
        /// Its initial value; writes replace it.
        public var value: Data
        /// Its user description, descriptor 2901.
        public var userDescription: String?
        /// How it answers a read; `nil` for its present value. Called once for a long read, with its first part.
        public var onRead: ((ScriptedDevice) -> Answer)?
        /// How it answers a write; `nil` to accept it. An accepted write becomes the value.
        ///
        /// The last of ``ScriptedDevice/writes`` is this write, with its type. An answer to a write without response is
        /// not sent.
        public var onWrite: ((Data, ScriptedDevice) -> Answer)?
        /// How it answers a request to subscribe; `nil` to accept it.
        public var onSubscriptionRequest: ((ScriptedDevice) -> Answer)?
        /// Called when a central has subscribed (true) or its subscription has ended (false).
        public var onSubscription: ((Bool, ScriptedDevice) -> Void)?
        /// The updates that it sends to subscribers.
        public var updates: Updates?
        /// The default security for reading, writing and subscribing.
        public var security: Security
        /// The security for reading; `nil` for ``security``.
        public var readSecurity: Security?
        /// The security for writing; `nil` for ``security``.
        public var writeSecurity: Security?
        /// The security for subscribing; `nil` for ``security``.
        public var subscriptionSecurity: Security?
        /// Its descriptors except the user description. The Client Characteristic Configuration (2902) and Extended
        /// Properties (2900) are derived from the properties.
        public var descriptors: [Descriptor]
        /// Whether it has a Client Characteristic Configuration if its properties require one. A characteristic without
        /// it cannot be subscribed to and sends its updates to all connected centrals.
        public var hasClientConfiguration: Bool
        /// Whether it sends its updates to all connected centrals, subscribed or not.
        public var sendsToAll: Bool
        /// Its behaviour in a capture.
        var recording: RecordedCharacteristic?

        /// Creates a characteristic.
        public init(
            _ uuid: some CBUUIDConvertible,
            properties: CBCharacteristicProperties,
            value: Data = Data(),
            userDescription: String? = nil,
            onRead: ((ScriptedDevice) -> Answer)? = nil,
            onWrite: ((Data, ScriptedDevice) -> Answer)? = nil,
            onSubscriptionRequest: ((ScriptedDevice) -> Answer)? = nil,
            onSubscription: ((Bool, ScriptedDevice) -> Void)? = nil,
            updates: Updates? = nil,
            security: Security = .none,
            readSecurity: Security? = nil,
            writeSecurity: Security? = nil,
            subscriptionSecurity: Security? = nil,
            descriptors: [Descriptor] = [],
            hasClientConfiguration: Bool = true,
            sendsToAll: Bool = false
        ) {
            self.uuid = uuid.cbUUID
            self.properties = properties
            self.value = value
            self.userDescription = userDescription
            self.onRead = onRead
            self.onWrite = onWrite
            self.onSubscriptionRequest = onSubscriptionRequest
            self.onSubscription = onSubscription
            self.updates = updates
            self.security = security
            self.readSecurity = readSecurity
            self.writeSecurity = writeSecurity
            self.subscriptionSecurity = subscriptionSecurity
            self.descriptors = descriptors
            self.hasClientConfiguration = hasClientConfiguration
            self.sendsToAll = sendsToAll
        }

        /// Whether it requires any security.
        var demandsSecurity: Bool {
            [self.security, self.readSecurity, self.writeSecurity, self.subscriptionSecurity].contains {
                $0 != nil && $0 != Security.none
            } || self.descriptors.contains { $0.security != .none }
        }
    }

    /// A descriptor.
    public struct Descriptor {
        /// Its UUID.
        public var uuid: CBUUID
        /// Its value, at most 512 octets; writes replace it.
        public var value: Data
        /// How it answers a read; `nil` for its present value. Called once for a long read, with its first part.
        public var onRead: ((ScriptedDevice) -> Answer)?
        /// How it answers a write; `nil` to accept it. An accepted write becomes the value.
        public var onWrite: ((Data, ScriptedDevice) -> Answer)?
        /// Whether it can be written; a descriptor with ``onWrite`` always can.
        public var isWritable: Bool
        /// The security for reading and writing it.
        public var security: Security
        /// Whether it comes from a capture without its value.
        var isUnseen = false

        /// Creates a descriptor.
        public init(
            _ uuid: some CBUUIDConvertible,
            value: Data = Data(),
            onRead: ((ScriptedDevice) -> Answer)? = nil,
            onWrite: ((Data, ScriptedDevice) -> Answer)? = nil,
            isWritable: Bool = false,
            security: Security = .none
        ) {
            self.uuid = uuid.cbUUID
            self.value = value
            self.onRead = onRead
            self.onWrite = onWrite
            self.isWritable = isWritable
            self.security = security
        }

        /// A Characteristic User Description (Vol 3, Part G, 3.3.3.2) that centrals may write.
        public static func writableDescription(_ text: String) -> Descriptor {
            Descriptor("2901", value: Data(text.utf8), isWritable: true)
        }

        /// A Server Characteristic Configuration (3.3.3.4), which centrals may write.
        public static func serverConfiguration(isBroadcast: Bool) -> Descriptor {
            Descriptor("2903", value: Data([isBroadcast ? 1 : 0, 0]), isWritable: true)
        }

        /// A Characteristic Presentation Format (3.3.3.5).
        ///
        /// - Parameters:
        ///   - format: The number of the format, such as 0x0E for a signed number of 16 bits.
        ///   - exponent: The power of ten by which the value is multiplied.
        ///   - unit: The assigned number of the unit, such as 0x272F for degrees Celsius.
        ///   - namespace: The organisation that assigned `description`; 1 is the Bluetooth SIG.
        ///   - description: The assigned number of a description.
        public static func presentationFormat(
            _ format: UInt8,
            exponent: Int8 = 0,
            unit: UInt16,
            namespace: UInt8 = 1,
            description: UInt16 = 0
        ) -> Descriptor {
            let numbers: [UInt8] = [
                format, UInt8(bitPattern: exponent), UInt8(truncatingIfNeeded: unit),
                UInt8(truncatingIfNeeded: unit >> 8),
                namespace, UInt8(truncatingIfNeeded: description), UInt8(truncatingIfNeeded: description >> 8),
            ]
            return Descriptor("2904", value: Data(numbers))
        }

        /// A Valid Range (assigned number 2906): the lowest and the highest value, in the characteristic's format.
        public static func validRange(_ lowest: Data, _ highest: Data) -> Descriptor {
            Descriptor("2906", value: lowest + highest)
        }
    }

    /// Updates that a characteristic sends while a central is subscribed.
    public struct Updates {
        /// The time between two updates.
        public var interval: Duration
        /// Returns the value of an update, numbered from 0 since the first subscription.
        public var value: (Int) -> Data
        /// The times of all updates after the subscription, instead of the interval.
        var times: [Duration]?

        /// An update every `interval`.
        public static func every(_ interval: Duration, _ value: @escaping (Int) -> Data) -> Updates {
            Updates(interval: interval, value: value)
        }

        /// Updates at these times after the first subscription.
        public static func at(_ values: [(time: Duration, value: Data)]) -> Updates {
            let values = values.sorted { $0.time < $1.time }
            return Updates(interval: .zero, value: { values[$0].value }, times: values.map(\.time))
        }

        /// The time from the previous update, or the subscription, to an update; `nil` if there is no such update.
        func delay(before number: Int) -> Duration? {
            guard let times = self.times else { return self.interval }
            guard number < times.count else { return nil }
            return number == 0 ? times[0] : times[number] - times[number - 1]
        }
    }
}
