// What a host tells its user. All calls come on the host's event loop, in the order in which things happened; a user
// that lives elsewhere gathers them until `hostDidFinishTurn(_:)` and hops once.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// Where a host stands with its controller.
public enum HostState: Hashable, Sendable {
    /// No controller.
    case detached
    /// The controller is being reset and asked what it can do.
    case starting
    /// Ready for work.
    case ready
    /// The controller failed or went away; one line says why.
    case failed(String)
}

/// What is known of a link.
public struct LinkInformation: Hashable, Sendable {
    /// The link's name.
    public var id: LinkID
    /// The peer's address; its identity address where that was resolved.
    public var peer: DeviceAddress
    /// Whether this side is the central.
    public var isCentral: Bool

    /// Creates a record.
    public init(id: LinkID, peer: DeviceAddress, isCentral: Bool) {
        self.id = id
        self.peer = peer
        self.isCentral = isCentral
    }
}

/// One advertising packet, or a packet with its scan response.
public struct AdvertisingReport: Hashable, Sendable {
    /// The advertiser.
    public var address: DeviceAddress
    /// Whether the advertiser can be connected to.
    public var isConnectable: Bool
    /// Whether the advertiser answers a scan request, so that its scan response may follow.
    public var isScannable: Bool
    /// Whether the data is a scan response.
    public var isScanResponse: Bool
    /// The advertising or scan response data, unparsed.
    public var data: ByteBuffer
    /// The strength of the signal in dBm; 127 where it is not known.
    public var rssi: Int8
    /// The PHY of the primary advertisement: 1 for 1M, 3 for Coded.
    public var primaryPHY: UInt8
    /// The PHY of the secondary advertisement; 0 where there was none.
    public var secondaryPHY: UInt8

    /// Creates a report.
    public init(
        address: DeviceAddress,
        isConnectable: Bool,
        isScannable: Bool,
        isScanResponse: Bool,
        data: ByteBuffer,
        rssi: Int8,
        primaryPHY: UInt8 = 1,
        secondaryPHY: UInt8 = 0
    ) {
        self.address = address
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.isScanResponse = isScanResponse
        self.data = data
        self.rssi = rssi
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
    }
}

/// What kind of PDU left the host without an answer to wait for.
public enum UnacknowledgedPDU: Hashable, Sendable {
    /// A notification of the GATT server.
    case notification
    /// A Write Command of the GATT client.
    case writeCommand
}

/// The user of a host.
public protocol HostDelegate: AnyObject {
    /// The host's state changed. In every state but `ready`, advertising, scanning and all links have ended.
    func host(_ host: LEHost, didChange state: HostState)
    /// An advertiser was heard.
    func host(_ host: LEHost, didReceive report: AdvertisingReport)
    /// A link is there, in either role.
    func host(_ host: LEHost, didConnect link: LinkInformation)
    /// A pending connection ended with an error other than being cancelled.
    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode)
    /// A link ended. Open procedures of the link have been completed with ``GATTError/disconnected(_:)`` before.
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode)
    /// The ATT MTU of a link changed; `mtu` octets from now on.
    func host(_ host: LEHost, didChangeMTUOf link: LinkID, to mtu: Int)
    /// A notification or indication came; an indication has been confirmed.
    func host(_ host: LEHost, link: LinkID, didReceiveNotificationFor handle: AttributeHandle, value: ByteBuffer)
    /// The server says that its services in `range` changed.
    func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange)
    /// A link was opened as central; says what is known of the server there, so that it need not be found out anew.
    func host(_ host: LEHost, knownServerAt peer: DeviceAddress) -> GATTKnownServer?
    /// The server of a link that was opened as central is identified: it is `server`, or one that cannot be known again
    /// where that is `nil`. `isUnchanged` says that it is the one that was known, with the same database.
    func host(_ host: LEHost, link: LinkID, didIdentify server: GATTKnownServer?, isUnchanged: Bool)
    /// The server of a link has said that its database is another one than this client knows (Vol 3, Part G, 2.5.2.1).
    func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID)
    /// A client reads a dynamic value.
    func host(_ host: LEHost, didReceive request: GATTReadRequest)
    /// A client writes.
    func host(_ host: LEHost, didReceive request: GATTWriteRequest)
    /// A client wrote a Client Characteristic Configuration; `isSubscribed` is false at the end of a link, too.
    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle)
    /// `count` PDUs that the user had queued have left for the controller, or died with their link.
    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, of kind: UnacknowledgedPDU)
    /// A peer asks for a channel on an SPSM that is listened on; `.success` grants it, every other result refuses it.
    func host(_ host: LEHost, didReceive request: ChannelRequest) -> CreditBasedConnectionResult
    /// A channel that a peer asked for is open.
    func host(_ host: LEHost, didOpen channel: ChannelInformation)
    /// Octets came on a channel: one SDU of the peer, which may be empty. The peer can send more than the channel's
    /// window only when they were given back with ``LEHost/consume(_:of:)``.
    func host(_ host: LEHost, channel: ChannelID, didReceive octets: ByteBuffer)
    /// There is room on a channel after ``LEHost/write(_:on:)`` has taken less than it was given.
    func host(_ host: LEHost, channelIsReadyToSend channel: ChannelID)
    /// A channel has ended; of a link that ended before the link itself. What was received remains the user's.
    func host(_ host: LEHost, channel: ChannelID, didCloseBecause reason: ChannelCloseReason)
    /// Everything that came together has been told.
    func hostDidFinishTurn(_ host: LEHost)
}

extension HostDelegate {
    /// Knows nobody.
    public func host(_ host: LEHost, knownServerAt peer: DeviceAddress) -> GATTKnownServer? { nil }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didIdentify server: GATTKnownServer?, isUnchanged: Bool) {}
    /// Does nothing.
    public func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) {}
    /// Grants every request.
    public func host(_ host: LEHost, didReceive request: ChannelRequest) -> CreditBasedConnectionResult { .success }
    /// Does nothing.
    public func host(_ host: LEHost, didOpen channel: ChannelInformation) {}
    /// Gives the octets back at once.
    public func host(_ host: LEHost, channel: ChannelID, didReceive octets: ByteBuffer) {
        host.consume(octets.readableBytes, of: channel)
    }
    /// Does nothing.
    public func host(_ host: LEHost, channelIsReadyToSend channel: ChannelID) {}
    /// Does nothing.
    public func host(_ host: LEHost, channel: ChannelID, didCloseBecause reason: ChannelCloseReason) {}
}
