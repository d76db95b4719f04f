// What a scripted peripheral has: services, characteristics and descriptors.

import BluetoothHost
public import CoreBluetooth

extension ScriptedPeripheral {
    /// A service.
    public struct Service {
        /// Its UUID.
        public var uuid: CBUUID
        /// Primary or secondary.
        public var isPrimary: Bool
        /// Its characteristics, in order.
        public var characteristics: [Characteristic]
        /// The services that it includes, by their UUIDs; each stands in the script, too.
        public var includes: [CBUUID]
        /// The attribute handle of its declaration; `nil` for the next free one.
        public var handle: UInt16?

        /// A service with the UUID that `uuid` spells.
        public init(
            _ uuid: String,
            isPrimary: Bool = true,
            characteristics: [Characteristic],
            includes: [CBUUID] = [],
            handle: UInt16? = nil
        ) {
            self.init(
                CBUUID(string: uuid),
                isPrimary: isPrimary,
                characteristics: characteristics,
                includes: includes,
                handle: handle
            )
        }

        /// A service.
        public init(
            _ uuid: CBUUID,
            isPrimary: Bool = true,
            characteristics: [Characteristic],
            includes: [CBUUID] = [],
            handle: UInt16? = nil
        ) {
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.characteristics = characteristics
            self.includes = includes
            self.handle = handle
        }
    }

    /// What a characteristic demands of a connection before it is read, written or subscribed to.
    public enum Security: Hashable, Sendable {
        /// Nothing.
        case none
        /// That it is encrypted, in whatever way the devices have paired.
        case encrypted
        /// That it is encrypted, and that the devices have paired by a code.
        case authenticated
    }

    /// A characteristic. What may be done with it follows from its properties.
    public struct Characteristic {
        /// Its UUID.
        public var uuid: CBUUID
        /// What can be done with it.
        public var properties: CBCharacteristicProperties
        /// Its value at the beginning; what is written replaces it.
        public var value: Data
        /// Its user description, descriptor 2901.
        public var userDescription: String?
        /// How it answers a read; `nil` for its present value. It is called once for a long read, with its first part.
        public var onRead: ((ScriptedDevice) -> Answer)?
        /// How it answers a write; `nil` to take it. What it takes becomes the value.
        public var onWrite: ((Data, ScriptedDevice) -> Answer)?
        /// What it sends to subscribers by itself.
        public var updates: Updates?
        /// What it demands of a connection that reads, writes or subscribes, where nothing else is said for that.
        public var security: Security
        /// What it demands of a connection that reads; `nil` for ``security``.
        public var readSecurity: Security?
        /// What it demands of a connection that writes; `nil` for ``security``.
        public var writeSecurity: Security?
        /// What it demands of a connection that subscribes; `nil` for ``security``.
        public var subscriptionSecurity: Security?
        /// Its descriptors beside the user description. The Client Characteristic Configuration (2902) and Extended
        /// Properties (2900) follow from the properties.
        public var descriptors: [Descriptor]
        /// Whether it has a Client Characteristic Configuration, where its properties call for one. One without it
        /// cannot be subscribed to; what it sends goes to all connected centrals.
        public var hasClientConfiguration: Bool
        /// Whether it sends its values to all connected centrals, also to those that have not subscribed.
        public var sendsToAll: Bool
        /// What it did in a capture.
        var recording: RecordedCharacteristic?

        /// A characteristic with the UUID that `uuid` spells.
        public init(
            _ uuid: String,
            properties: CBCharacteristicProperties,
            value: Data = Data(),
            userDescription: String? = nil,
            onRead: ((ScriptedDevice) -> Answer)? = nil,
            onWrite: ((Data, ScriptedDevice) -> Answer)? = nil,
            updates: Updates? = nil,
            security: Security = .none,
            readSecurity: Security? = nil,
            writeSecurity: Security? = nil,
            subscriptionSecurity: Security? = nil,
            descriptors: [Descriptor] = [],
            hasClientConfiguration: Bool = true,
            sendsToAll: Bool = false
        ) {
            self.init(
                CBUUID(string: uuid),
                properties: properties,
                value: value,
                userDescription: userDescription,
                onRead: onRead,
                onWrite: onWrite,
                updates: updates,
                security: security,
                readSecurity: readSecurity,
                writeSecurity: writeSecurity,
                subscriptionSecurity: subscriptionSecurity,
                descriptors: descriptors,
                hasClientConfiguration: hasClientConfiguration,
                sendsToAll: sendsToAll
            )
        }

        /// A characteristic.
        public init(
            _ uuid: CBUUID,
            properties: CBCharacteristicProperties,
            value: Data = Data(),
            userDescription: String? = nil,
            onRead: ((ScriptedDevice) -> Answer)? = nil,
            onWrite: ((Data, ScriptedDevice) -> Answer)? = nil,
            updates: Updates? = nil,
            security: Security = .none,
            readSecurity: Security? = nil,
            writeSecurity: Security? = nil,
            subscriptionSecurity: Security? = nil,
            descriptors: [Descriptor] = [],
            hasClientConfiguration: Bool = true,
            sendsToAll: Bool = false
        ) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.userDescription = userDescription
            self.onRead = onRead
            self.onWrite = onWrite
            self.updates = updates
            self.security = security
            self.readSecurity = readSecurity
            self.writeSecurity = writeSecurity
            self.subscriptionSecurity = subscriptionSecurity
            self.descriptors = descriptors
            self.hasClientConfiguration = hasClientConfiguration
            self.sendsToAll = sendsToAll
        }

        /// Whether a connection has to be more than there.
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
        /// Its value, at most 512 octets; what is written replaces it.
        public var value: Data
        /// Whether it can be written.
        public var isWritable: Bool
        /// What it demands of a connection that reads or writes it.
        public var security: Security
        /// Whether a capture has it without its value.
        var isUnseen = false

        /// A descriptor with the UUID that `uuid` spells.
        public init(_ uuid: String, value: Data, isWritable: Bool = false, security: Security = .none) {
            self.init(CBUUID(string: uuid), value: value, isWritable: isWritable, security: security)
        }

        /// A descriptor.
        public init(_ uuid: CBUUID, value: Data, isWritable: Bool = false, security: Security = .none) {
            self.uuid = uuid
            self.value = value
            self.isWritable = isWritable
            self.security = security
        }

        /// Characteristic User Description (Vol 3, Part G, 3.3.3.2) that centrals may write.
        public static func writableDescription(_ text: String) -> Descriptor {
            Descriptor("2901", value: Data(text.utf8), isWritable: true)
        }

        /// Server Characteristic Configuration (3.3.3.4), which centrals may write.
        public static func serverConfiguration(isBroadcast: Bool) -> Descriptor {
            Descriptor("2903", value: Data([isBroadcast ? 1 : 0, 0]), isWritable: true)
        }

        /// Characteristic Presentation Format (3.3.3.5).
        ///
        /// - Parameters:
        ///   - format: The number of the format, such as 0x0E for a signed number of 16 bits.
        ///   - exponent: The power of ten by which the value is multiplied.
        ///   - unit: The assigned number of the unit, such as 0x272F for degrees Celsius.
        ///   - namespace: Who has assigned the description's number; 1 is the Bluetooth SIG.
        ///   - description: The number of a description.
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

        /// Valid Range (assigned number 2906): the lowest and the highest value, in the characteristic's format.
        public static func validRange(_ lowest: Data, _ highest: Data) -> Descriptor {
            Descriptor("2906", value: lowest + highest)
        }
    }

    /// Values that a characteristic sends by itself, while a central is subscribed.
    public struct Updates {
        /// The time from one to the next.
        public var interval: Duration
        /// The value with a number, counted from 0 since the first subscription.
        public var value: (Int) -> Data
        /// When each value is sent after the subscription, in place of the interval; nothing is sent behind the last.
        var times: [Duration]?

        /// A value each `interval`.
        public static func every(_ interval: Duration, _ value: @escaping (Int) -> Data) -> Updates {
            Updates(interval: interval, value: value)
        }

        /// Values at times after the first subscription, in order, and no others.
        public static func at(_ values: [(time: Duration, value: Data)]) -> Updates {
            let values = values.sorted { $0.time < $1.time }
            return Updates(interval: .zero, value: { values[$0].value }, times: values.map(\.time))
        }

        /// The time from the update before, or the subscription, to the one with a number; `nil` where there is none.
        func delay(before number: Int) -> Duration? {
            guard let times = self.times else { return self.interval }
            guard number < times.count else { return nil }
            return number == 0 ? times[0] : times[number] - times[number - 1]
        }
    }
}
