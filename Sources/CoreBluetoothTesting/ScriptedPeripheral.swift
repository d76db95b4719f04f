// A peripheral as a value: what it advertises, what it has, how it answers, and where it fails. ScriptedDevice plays
// it.

public import CoreBluetooth

/// A peripheral in place of a real one: a sensor, a lock, whatever the code under test is to meet.
///
/// It stands below Core Bluetooth, so it may have what an app may not publish, such as the Battery service, and may do
/// what an app cannot: answer late, wrongly or not at all.
///
/// ```swift
/// let thermometer = ScriptedPeripheral(
///     name: "Thermo",
///     services: [
///         .init("1809", characteristics: [
///             .init("2A1C", properties: [.read, .notify], value: Data([21])),
///             .init("2A1E", properties: .read, onRead: { _ in .error(.insufficientEncryption) }),
///         ])
///     ],
///     faults: [.loseLink(.afterNotification(3))]
/// )
/// let device = world.addPeripheral(thermometer)
/// ```
public struct ScriptedPeripheral {
    /// The name that it advertises, which is its GAP Device Name, too; `nil` to advertise none.
    public var name: String?
    /// Its services.
    public var services: [Service]
    /// What it advertises beside its name.
    public var advertisement: Advertisement
    /// The ATT MTU that it offers, 23 to 517 octets.
    public var mtu: Int
    /// Whether links to it fail to be established, so that centrals get `didFailToConnect`.
    ///
    /// The air reports the failure in place of a link. A real controller reports the link first and ends it after six
    /// connection events without the peripheral, reason 0x3E (Vol 6, Part B, 4.5.2): then an app gets `didConnect` and
    /// a disconnection with `CBError.connectionFailed`.
    public var refusesConnections: Bool
    /// Where it fails.
    public var faults: [Fault]
    /// The user of the peripheral while it pairs, such as a ``ScriptedPairingAgent``; `nil` for a peripheral that has
    /// neither display nor keys.
    ///
    /// It pairs where it has a user or a characteristic that demands security; any other refuses.
    public var pairingAgent: (any PairingAgent)?

    /// A peripheral.
    public init(
        name: String? = nil,
        services: [Service] = [],
        advertisement: Advertisement = Advertisement(),
        mtu: Int = 247,
        refusesConnections: Bool = false,
        faults: [Fault] = [],
        pairingAgent: (any PairingAgent)? = nil
    ) {
        self.name = name
        self.services = services
        self.advertisement = advertisement
        self.mtu = mtu
        self.refusesConnections = refusesConnections
        self.faults = faults
        self.pairingAgent = pairingAgent
    }

    /// Whether it pairs.
    var pairs: Bool {
        self.pairingAgent != nil || self.services.contains { $0.characteristics.contains { $0.security != .none } }
    }

    /// What is advertised beside the name. All of it has 31 octets, and 31 more in the scan response.
    public struct Advertisement {
        /// The services to name; `nil` for all primary ones.
        public var services: [CBUUID]?
        /// Manufacturer data, the company's two octets first.
        public var manufacturerData: Data?
        /// Data of services.
        public var serviceData: [(service: CBUUID, data: Data)]
        /// Whether centrals may connect.
        public var isConnectable: Bool
        /// The time from one advertisement to the next, 20 ms to 10.24 s.
        public var interval: Duration

        /// An advertisement.
        public init(
            services: [CBUUID]? = nil,
            manufacturerData: Data? = nil,
            serviceData: [(service: CBUUID, data: Data)] = [],
            isConnectable: Bool = true,
            interval: Duration = .milliseconds(100)
        ) {
            self.services = services
            self.manufacturerData = manufacturerData
            self.serviceData = serviceData
            self.isConnectable = isConnectable
            self.interval = interval
        }
    }

    /// A service.
    public struct Service {
        /// Its UUID.
        public var uuid: CBUUID
        /// Primary or secondary.
        public var isPrimary: Bool
        /// Its characteristics, in order.
        public var characteristics: [Characteristic]

        /// A service with the UUID that `uuid` spells.
        public init(_ uuid: String, isPrimary: Bool = true, characteristics: [Characteristic]) {
            self.init(CBUUID(string: uuid), isPrimary: isPrimary, characteristics: characteristics)
        }

        /// A service.
        public init(_ uuid: CBUUID, isPrimary: Bool = true, characteristics: [Characteristic]) {
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.characteristics = characteristics
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
        /// How it answers a read; `nil` for its present value.
        public var onRead: ((ScriptedDevice) -> Answer)?
        /// How it answers a write; `nil` to take it. What it takes becomes the value.
        public var onWrite: ((Data, ScriptedDevice) -> Answer)?
        /// What it sends to subscribers by itself.
        public var updates: Updates?
        /// What it demands of a connection.
        public var security: Security

        /// A characteristic with the UUID that `uuid` spells.
        public init(
            _ uuid: String,
            properties: CBCharacteristicProperties,
            value: Data = Data(),
            userDescription: String? = nil,
            onRead: ((ScriptedDevice) -> Answer)? = nil,
            onWrite: ((Data, ScriptedDevice) -> Answer)? = nil,
            updates: Updates? = nil,
            security: Security = .none
        ) {
            self.init(
                CBUUID(string: uuid),
                properties: properties,
                value: value,
                userDescription: userDescription,
                onRead: onRead,
                onWrite: onWrite,
                updates: updates,
                security: security
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
            security: Security = .none
        ) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.userDescription = userDescription
            self.onRead = onRead
            self.onWrite = onWrite
            self.updates = updates
            self.security = security
        }
    }

    /// Values that a characteristic sends by itself, while a central is subscribed.
    public struct Updates {
        /// The time from one to the next.
        public var interval: Duration
        /// The value with a number, counted from 0 since the first subscription.
        public var value: (Int) -> Data

        /// A value each `interval`.
        public static func every(_ interval: Duration, _ value: @escaping (Int) -> Data) -> Updates {
            Updates(interval: interval, value: value)
        }
    }

    /// How a request is answered.
    public struct Answer {
        enum Content {
            case success
            case value(Data)
            case error(CBATTError.Code)
            case noResponse
        }

        var content: Content
        var delay: Duration = .zero

        /// A write is taken; a read gives the present value.
        public static var success: Answer { Answer(content: .success) }
        /// A read gives this value; a write is taken.
        public static func value(_ value: Data) -> Answer { Answer(content: .value(value)) }
        /// The request fails.
        public static func error(_ code: CBATTError.Code) -> Answer { Answer(content: .error(code)) }
        /// The request is never answered: the central times out after 30 s.
        public static var noResponse: Answer { Answer(content: .noResponse) }

        /// The same answer, later.
        public func delayed(by delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }
    }

    /// A moment in the life of a link.
    public enum Step: Equatable {
        /// The link is there.
        case onConnection
        /// So long after the link was there.
        case after(Duration)
        /// A characteristic is read; the request is not answered any more.
        case onRead(of: CBUUID)
        /// A characteristic is written; the request is not answered any more.
        case onWrite(to: CBUUID)
        /// A characteristic is subscribed to.
        case onSubscription(to: CBUUID)
        /// So many notifications or indications were sent on the link.
        case afterNotification(Int)
    }

    /// Something that goes wrong at a step, once.
    public struct Fault {
        enum Kind {
            case disconnect
            case loseLink
            case stopResponding
            case powerOff
        }

        var kind: Kind
        var step: Step

        /// The peripheral ends the link: the central gets `CBError.Code.peripheralDisconnected`.
        public static func disconnect(_ step: Step) -> Fault { Fault(kind: .disconnect, step: step) }
        /// The link is lost: the central gets `CBError.Code.connectionTimeout`, at once.
        public static func loseLink(_ step: Step) -> Fault { Fault(kind: .loseLink, step: step) }
        /// From now on no ATT request is answered, as with ``Radio/isUnresponsive``.
        public static func stopResponding(_ step: Step) -> Fault { Fault(kind: .stopResponding, step: step) }
        /// The peripheral's battery is empty: the central notices when the supervision timeout has passed.
        public static func powerOff(_ step: Step) -> Fault { Fault(kind: .powerOff, step: step) }
    }
}
