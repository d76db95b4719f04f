// One adapter's Bluetooth LE host: the thin driver that moves packets between a controller and the protocol machines,
// owns their timers, and reports to one user through `LEHostDelegate`. Confined to its event loop; nothing here locks,
// and what every packet uses is not checked for exclusive access (CONTRIBUTING.md, rule 2).
//
// The user's calls only feed the machines; what comes of them is carried out in the next turn of the loop, in which
// also everything leaves that several calls have queued. Packets of the controller are worked on as they come, and the
// turn ends with their batch.

package import BluetoothHCI
public import BluetoothTypes
import Logging
public import NIOCore

/// A Bluetooth LE host on one controller.
///
/// Every member is used on ``eventLoop`` alone. Completions and delegate calls come on that loop, never from inside
/// the call that asked for them.
public final class LEHost {
    /// The loop on which the host lives.
    public let eventLoop: any EventLoop
    /// The user, who hears what happens.
    @exclusivity(unchecked) public weak var delegate: (any LEHostDelegate)?
    /// How the host presents itself.
    public let configuration: LEHostConfiguration
    /// How the host pairs from now on, on the links that there are and on those to come.
    public var pairing: PairingConfiguration {
        didSet { self.updatePairing() }
    }
    /// The identity resolving key of this device (IRK), of which its private addresses are made where it hides itself,
    /// and which its peers get when they pair.
    ///
    /// It belongs to the device's identity: the owner of the bonds keeps it with them, and sets it before the radio is
    /// used, such as when the host becomes ready. A host that has none by then draws one.
    public var identityResolvingKey: Octets16? {
        didSet {
            guard self.identityResolvingKey != oldValue else { return }
            self.privateAddress.reset()
            self.updatePairing()
            self.updateResolvingList()
            self.scheduleTurn()
        }
    }
    /// All bonded peers. Their private addresses are resolved, in the controller where it can; and no other device can
    /// pair under their identities without the user's consent, or with a weaker key.
    public var bondedPeers: [BondedPeer] = [] {
        didSet {
            guard self.bondedPeers != oldValue else { return }
            self.peerIdentities = PeerIdentities(self.bondedPeers)
            self.updatePairing()
            self.updateResolvingList()
            self.scheduleTurn()
        }
    }
    /// What bonded peers have said of their privacy, by their identity addresses, as
    /// ``LEHostDelegate/host(_:link:didReadPrivacy:)`` reports it; who keeps the bonds keeps it with them.
    public var peerPrivacy: [DeviceAddress: PeerPrivacy] = [:] {
        didSet {
            guard self.peerPrivacy != oldValue else { return }
            self.updateResolvingList()
            self.scheduleTurn()
        }
    }
    /// Where the host stands with its controller.
    public internal(set) var state: LEHostState = .detached
    /// The address by which peers know this device, its identity address; `nil` where it has none, or without a
    /// controller.
    ///
    /// One that hides itself is on the air under others.
    public var address: DeviceAddress? {
        guard case .ready = self.state else { return nil }
        return self.identityAddress
    }
    /// The address of this device's identity, also while the controller is not ready; `nil` where it is not known yet.
    var identityAddress: DeviceAddress? { self.randomAddress ?? self.controller.publicAddress }
    /// The random static address of this device; `nil` where it goes by the controller's public one.
    var randomAddress: DeviceAddress? {
        if let address = self.configuration.address { return address }
        return self.controller.publicAddress == nil ? self.configuration.fallbackAddress : nil
    }

    let log = Logger(label: "bluetooth.host")
    /// Where the event loop enters: nothing else has a weak reference to the host.
    let entry = LEHostEntry()

    // The controller.
    @exclusivity(unchecked) var channel: (any HCIChannel)?
    /// Which advertising reports the user needs; for a channel that can omit others.
    package var reportNeed = AdvertisingReportNeed.all {
        didSet { if self.reportNeed != oldValue { self.updateReportNeed() } }
    }
    var controller = ControllerInformation()
    @exclusivity(unchecked) var commands = CommandQueue()
    @exclusivity(unchecked) var transmitter = ACLTransmitter()
    @exclusivity(unchecked) var receiver = ACLReceiver()
    /// Data that came before its link.
    @exclusivity(unchecked) var earlyData = EarlyData()
    /// Whether the controller is being asked if it is still there.
    var isProbing = false
    /// How many packets of this controller could not be read.
    var unreadablePacketCount = 0
    /// The graceful shutdown that is under way.
    @exclusivity(unchecked) var shutdown: Shutdown?

    // GAP.
    @exclusivity(unchecked) var arbiter = RadioArbiter()
    @exclusivity(unchecked) var advertiser = Advertiser()
    @exclusivity(unchecked) var advertisingCompletions: [Int: (Result<Void, LEHostError>) -> Void] = [:]
    @exclusivity(unchecked) var scanner = Scanner()
    @exclusivity(unchecked) var extendedCommands = ExtendedCommands()
    /// With which commands the controller advertises and scans, or did so last.
    var advertisingFamily = CommandFamily.legacy
    var scanFamily = CommandFamily.legacy
    var advertisingReassembler = AdvertisingReassembler()
    @exclusivity(unchecked) var initiator = Initiator()
    @exclusivity(unchecked) var privateAddress = PrivateAddress()
    @exclusivity(unchecked) var resolvingList = ResolvingList()
    var peerIdentities = PeerIdentities()
    /// When another device is tried than the one that was heard.
    @exclusivity(unchecked) var attemptDeadline: NIODeadline?
    /// The parameters of pending connections.
    var connectionParameters: [DeviceAddress: ConnectionParameters] = [:]
    /// When the event that ends a cancelled attempt is overdue.
    @exclusivity(unchecked) var cancelDeadline: NIODeadline?
    /// When devices that the accept list could not hold are initiated to.
    @exclusivity(unchecked) var rotationDeadline: NIODeadline?

    // Links, in the order in which they came.
    @exclusivity(unchecked) var openLinks: [HostLink] = []
    @exclusivity(unchecked) var linksByHandle = LinkTable<ConnectionHandle>()
    @exclusivity(unchecked) var linksByID = LinkTable<LinkID>()
    var nextLinkNumber: UInt32 = 1

    // GATT.
    @exclusivity(unchecked) var server: GATTServer
    /// The services that were added, by the handles of their declarations.
    package internal(set) var published: [AttributeHandle: PublishedService] = [:]
    /// Called when ``published`` has changed: for who publishes it elsewhere.
    package var onPublishedChange: (() -> Void)?
    @exclusivity(unchecked) var spareBearerActions: [ATTBearer.Action] = []
    @exclusivity(unchecked) var linksWithWork: [HostLink] = []
    @exclusivity(unchecked) var linksWithBatch: [HostLink] = []
    @exclusivity(unchecked) var linksWithTransmitted: [HostLink] = []
    @exclusivity(unchecked) var spareLinks: [HostLink] = []
    @exclusivity(unchecked) var spareTally = TransmitTally()
    var nextProcedureNumber: UInt64 = 1
    /// Memory of values that have left the process, which the user may take for others; one that another owner holds is
    /// no harm, since a `ByteBuffer` then takes new memory.
    @exclusivity(unchecked) package var sentBuffers: [ByteBuffer] = []

    // Security.
    var securityContext: SecurityManager.Context

    // Credit-based channels.
    @exclusivity(unchecked) var l2capChannels = HostChannels()
    var spareSignallingActions: [LESignalling.Action] = []

    // Turns and time.
    var isTurnScheduled = false
    /// Whether the user makes several calls, after which the turn comes.
    var isTakingCalls = false
    @exclusivity(unchecked) var deferred: [() -> Void] = []
    var timerDeadline: NIODeadline?
    var timerGeneration = 0

    /// Creates a host without a controller.
    public init(eventLoop: any EventLoop, configuration: LEHostConfiguration = LEHostConfiguration()) {
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.securityContext = SecurityManager.Context(
            now: eventLoop.now,
            generator: configuration.pairingSeed.map { SeededGenerator(seed: $0) } ?? SystemRandomNumberGenerator()
        )
        self.pairing = configuration.pairing
        self.server = GATTServer(configuration: Self.serverConfiguration(configuration))
        self.entry.host = self
        self.updatePairing()
    }

    deinit { self.entry.host = nil }

    /// A call from another thread is a fault of the user; debug builds stop at it.
    @inline(__always)
    func assertOnEventLoop() { self.eventLoop.assertInEventLoop() }
}
