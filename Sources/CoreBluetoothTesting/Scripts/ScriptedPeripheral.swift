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
    /// connection events without the peripheral, reason 0x3E (Vol 6, Part B, 4.5.2). Either is tried again three times
    /// before the app hears of it.
    public var refusesConnections: Bool
    /// Where it fails.
    public var faults: [Fault]
    /// The user of the peripheral while it pairs, such as a ``ScriptedPairingAgent``; `nil` for a peripheral that has
    /// neither display nor keys.
    ///
    /// It pairs where it has a user or a characteristic that demands security; any other refuses.
    public var pairingAgent: (any PairingAgent)?
    /// What its Generic Attribute service has.
    public var genericAttribute: GenericAttribute
    /// The L2CAP channels that centrals may open.
    public var channels: [Channel]
    /// How slow it is: so much later it handles each packet of a central, from discovery to writing. Zero for one that
    /// handles it at once.
    public var latency: Duration
    /// Where it keeps writes without response until it has dealt with them; `nil` for one that takes all.
    public var writeBuffer: WriteBuffer?
    /// What a capture does not have of it, a line each; see ``init(capture:device:file:line:)-(String,_,_,_)``.
    public internal(set) var unseen: [String] = []
    /// Where the script was made: there its mistakes are reported.
    var caller: Caller
    /// What it advertises octet for octet, in place of ``advertisement``'s fields.
    var recordedAdvertisement: RecordedAdvertisement?

    /// A peripheral.
    ///
    /// A mistake in it, such as a value of more than 512 octets, is reported when it is added to a world: the next
    /// `run(until:within:)` throws a ``WorldError`` that names the line of this call.
    public init(
        name: String? = nil,
        services: [Service] = [],
        advertisement: Advertisement = Advertisement(),
        mtu: Int = 247,
        refusesConnections: Bool = false,
        faults: [Fault] = [],
        pairingAgent: (any PairingAgent)? = nil,
        genericAttribute: GenericAttribute = .databaseHash,
        channels: [Channel] = [],
        latency: Duration = .zero,
        writeBuffer: WriteBuffer? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.name = name
        self.services = services
        self.advertisement = advertisement
        self.mtu = mtu
        self.refusesConnections = refusesConnections
        self.faults = faults
        self.pairingAgent = pairingAgent
        self.genericAttribute = genericAttribute
        self.channels = channels
        self.latency = latency
        self.writeBuffer = writeBuffer
        self.caller = Caller(file: file, line: line)
    }

    /// A place in a test.
    struct Caller {
        var file: StaticString
        var line: UInt

        /// A mistake with its place.
        func text(_ mistake: String) -> String { "\(self.file):\(self.line): \(mistake)" }
    }

    /// Octets to advertise.
    struct RecordedAdvertisement {
        var data: Data
        var scanResponse: Data
    }

    /// Whether it pairs.
    var pairs: Bool {
        self.pairingAgent != nil || self.channels.contains { $0.security != .none }
            || self.services.contains { $0.characteristics.contains(where: \.demandsSecurity) }
    }

    /// What the Generic Attribute service of a peripheral has (Vol 3, Part G, 7).
    public enum GenericAttribute: Hashable, Sendable {
        /// There is no such service.
        case absent
        /// The service is there, and has nothing.
        case empty
        /// It has Service Changed, so that centrals are notified of other services.
        case serviceChanged
        /// It has Service Changed, Client Supported Features and Database Hash.
        case databaseHash
    }

    /// A place of limited size for writes without response: one that comes while it is full is dropped, which the trace
    /// shows.
    public struct WriteBuffer: Hashable, Sendable {
        /// How many writes it holds.
        public var capacity: Int
        /// How long the peripheral deals with one.
        public var processingTime: Duration

        /// A buffer.
        public init(capacity: Int, processingTime: Duration) {
            self.capacity = capacity
            self.processingTime = processingTime
        }
    }

    /// What is advertised beside the name. All of it has 31 octets, and 31 more in the scan response.
    public struct Advertisement {
        /// The PDUs of an advertisement.
        public enum PDUs: Sendable {
            /// Those that every scanner hears.
            case legacy
            /// Extended ones on LE 1M, with up to 245 octets on LE 2M and no scan response.
            case extended
            /// Extended ones on LE Coded, which reach farthest, with up to 245 octets and no scan response.
            case coded
        }

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
        /// In which PDUs it advertises.
        public var pdus: PDUs

        /// An advertisement.
        public init(
            services: [CBUUID]? = nil,
            manufacturerData: Data? = nil,
            serviceData: [(service: CBUUID, data: Data)] = [],
            isConnectable: Bool = true,
            interval: Duration = .milliseconds(100),
            pdus: PDUs = .legacy
        ) {
            self.services = services
            self.pdus = pdus
            self.manufacturerData = manufacturerData
            self.serviceData = serviceData
            self.isConnectable = isConnectable
            self.interval = interval
        }
    }
}
