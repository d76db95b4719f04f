// A peripheral as a value: its advertisement, services, answers and faults. `ScriptedDevice` follows it.

public import CoreBluetooth

/// A peripheral in place of a real one: a sensor, a lock, any device for the code under test.
///
/// It works below Core Bluetooth, so it may have services that an app cannot publish, such as the Battery service, and
/// may do what an app cannot: answer late, wrongly or not at all.
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
    /// The advertised name, which is also its GAP Device Name; `nil` to advertise none.
    public var name: String?
    /// Its services.
    public var services: [Service]
    /// The advertised data besides its name.
    public var advertisement: Advertisement
    /// The ATT MTU that it offers, 23 to 517 octets.
    public var mtu: Int
    /// Whether links to it fail, so that centrals get `didFailToConnect`.
    ///
    /// The air reports the failure instead of a link. A real controller reports the link first and ends it after six
    /// connection events without the peripheral, with reason 0x3E (Vol 6, Part B, 4.5.2). In both cases three more
    /// attempts are made before the app is told.
    public var refusesConnections: Bool
    /// Its faults.
    public var faults: [Fault]
    /// The user of the peripheral while it pairs, such as a ``ScriptedPairingAgent``; `nil` for a peripheral without
    /// display and keyboard.
    ///
    /// A peripheral without a user and without attributes that require security rejects pairing.
    public var pairingAgent: (any PairingAgent)?
    /// The content of its Generic Attribute service.
    public var genericAttribute: GenericAttribute
    /// The L2CAP channels that centrals may open.
    public var channels: [Channel]
    /// The delay before it handles each packet of a central, from discovery to writing.
    public var latency: Duration
    /// A buffer for writes without response until they are processed; `nil` for no limit.
    public var writeBuffer: WriteBuffer?
    /// Called when a central has connected.
    public var onConnection: ((ScriptedDevice) -> Void)?
    /// Called when a central has disconnected or its link was lost.
    public var onDisconnection: ((ScriptedDevice) -> Void)?
    /// What a capture lacks, one line each; see ``init(capture:device:file:line:)-(String,_,_,_)``.
    public internal(set) var unseen: [String] = []
    /// Where the script was created, for reports of mistakes.
    var caller: Caller
    /// The recorded octets to advertise, instead of ``advertisement``.
    var recordedAdvertisement: RecordedAdvertisement?

    /// Creates a peripheral.
    ///
    /// Mistakes, such as a value of more than 512 octets, are reported when it is added to a world: the next
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
        onConnection: ((ScriptedDevice) -> Void)? = nil,
        onDisconnection: ((ScriptedDevice) -> Void)? = nil,
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
        self.onConnection = onConnection
        self.onDisconnection = onDisconnection
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

    /// The content of a peripheral's Generic Attribute service (Vol 3, Part G, 7).
    public enum GenericAttribute: Hashable, Sendable {
        /// There is no such service.
        case absent
        /// The service is empty.
        case empty
        /// It has Service Changed, so that centrals are notified of changed services.
        case serviceChanged
        /// It has Service Changed, Client Supported Features and Database Hash.
        case databaseHash
    }

    /// A buffer of limited size for writes without response: while it is full, writes are dropped, which the trace
    /// shows.
    public struct WriteBuffer: Hashable, Sendable {
        /// The number of writes that it holds.
        public var capacity: Int
        /// The time in which the peripheral processes one.
        public var processingTime: Duration

        /// Creates a buffer.
        public init(capacity: Int, processingTime: Duration) {
            self.capacity = capacity
            self.processingTime = processingTime
        }
    }

    /// The advertised fields in addition to the name. There are 31 octets, and 31 more in the scan response.
    public struct Advertisement {
        /// The kinds of advertising PDUs.
        public enum PDUs: Sendable {
            /// Legacy PDUs, which every scanner hears.
            case legacy
            /// Extended PDUs on LE 1M, with up to 245 octets on LE 2M and no scan response.
            case extended
            /// Extended PDUs on LE Coded, which has the longest range, with up to 245 octets and no scan response.
            case coded
        }

        /// The advertised services; `nil` for all primary ones.
        public var services: [CBUUID]?
        /// Manufacturer data, the company's two octets first.
        public var manufacturerData: Data?
        /// Service data.
        public var serviceData: [(service: CBUUID, data: Data)]
        /// The services that it solicits.
        public var solicitedServices: [CBUUID]
        /// The transmit power that it states, in dBm; the strength of its signal does not depend on it.
        public var txPower: Int8?
        /// Whether centrals may connect.
        public var isConnectable: Bool
        /// The advertising interval, 20 ms to 10.24 s.
        public var interval: Duration
        /// The kind of PDUs.
        public var pdus: PDUs

        /// Creates an advertisement.
        public init(
            services: [CBUUID]? = nil,
            manufacturerData: Data? = nil,
            serviceData: [(service: CBUUID, data: Data)] = [],
            solicitedServices: [CBUUID] = [],
            txPower: Int8? = nil,
            isConnectable: Bool = true,
            interval: Duration = .milliseconds(100),
            pdus: PDUs = .legacy
        ) {
            self.services = services
            self.pdus = pdus
            self.manufacturerData = manufacturerData
            self.serviceData = serviceData
            self.solicitedServices = solicitedServices
            self.txPower = txPower
            self.isConnectable = isConnectable
            self.interval = interval
        }
    }
}
