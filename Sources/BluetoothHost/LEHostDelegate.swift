// The delegate of a host. All calls come on the host's event loop, in the order of events. A user on another thread
// collects them until `hostDidFinishTurn(_:)` and hops once.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// The user of a host. The default implementations ignore an event, or refuse it if a peer waits for an answer.
public protocol LEHostDelegate: AnyObject {
    // MARK: Controller

    /// The host's state changed. In every state but `ready`, advertising, scanning and all links have ended.
    func host(_ host: LEHost, didChange state: LEHostState)
    /// All events of this turn have been reported.
    func hostDidFinishTurn(_ host: LEHost)

    // MARK: GAP

    /// An advertisement or a scan response was received.
    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport)
    /// Advertising has ended because the controller refused to resume it after a connection or a change of address.
    func host(_ host: LEHost, didStopAdvertisingBecauseOf error: LEHostError)
    /// A link has been established, in either role; as central, the peer has answered on it.
    func host(_ host: LEHost, didConnect link: LinkInformation)
    /// A pending connection failed, or its link was not established. Cancelled ones are not reported.
    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode)
    /// A link ended. Its open procedures have already been completed with ``GATTError/disconnected(_:)``.
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode)

    // MARK: ATT

    /// The ATT MTU of a link changed to `mtu` octets.
    func host(_ host: LEHost, link: LinkID, didChangeMTU mtu: Int)
    /// `count` PDUs of this owner have been passed to the controller or dropped; indications count when they are
    /// confirmed.
    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken)

    // MARK: GATT client

    /// A notification or an indication was received; an indication has been confirmed.
    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle)
    /// Returns the cached database of a server, for validation: called on each link as central, and again after
    /// `LEHost.validateDatabaseCache(on:)`.
    func host(_ host: LEHost, cachedDatabaseAt link: LinkInformation) -> GATTCachedDatabase?
    /// The cached database was found valid or invalid. The next procedure of the link begins after this.
    func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation)
    /// The server has indicated that its services in `range` changed.
    func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange)
    /// The server of a link has reported Database Out Of Sync (Vol 3, Part G, 2.5.2.1).
    ///
    /// The refused procedure has already ended.
    func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID)

    // MARK: GATT server

    /// A client reads a dynamic value, and waits for ``LEHost/respond(to:with:)``.
    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest)
    /// A client writes; if the request has an identifier, the client waits for ``LEHost/respond(to:error:)``.
    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest)
    /// A client writes a value without response. The default implementation passes on a ``GATTWriteRequest`` without an
    /// identifier.
    func host(_ host: LEHost, link: LinkID, didReceiveWriteCommand value: ByteBuffer, to handle: AttributeHandle)
    /// A client wrote a Client Characteristic Configuration, or its subscription ended with the link.
    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle)

    // MARK: Security

    /// Returns the bond with the peer of a link that was just established; `nil` if the peer is not bonded.
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond?
    /// Returns whether a device with an identity address was seen on the air, so that another one may not claim it
    /// without consent.
    func host(_ host: LEHost, hasMet address: DeviceAddress) -> Bool
    /// The security of a link changed, or its peer is now bonded.
    func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity)
    /// Returns the out-of-band data for a pairing on a link: called before each step that may begin a pairing (Vol 3,
    /// Part H, 2.3.5.4, 2.3.5.6.4).
    func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData
    /// A pairing asks the user; answer with ``LEHost/answer(_:on:)`` if the question has an answer. The question ends
    /// when the pairing completes or fails.
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion)
    /// The user of the peer has pressed a key while entering a passkey.
    func host(_ host: LEHost, link: LinkID, didReceiveKeypress notification: KeypressNotification)
    /// The peer of a link has distributed its identity address in a pairing. From now on the link, and everything that
    /// concerns the peer, uses that address instead of the one before, usually a private address.
    func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress)
    /// The devices have paired. If `isBonded`, store `bond` in place of an earlier one.
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool)
    /// A pairing, or a request for one, failed.
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError)
    /// Returns the stored state of the peer's client: called once for a link, when it is encrypted with the key of a
    /// bond; `nil` for a new bond.
    func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient?
    /// The state of a bonded client that is to be stored has changed.
    func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient)
    /// The peer has signed a command with this counter: store it with the bond, since no lower one is accepted again.
    func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32)

    /// The privacy characteristics of a bonded peer were read: once for a bond, unless ``LEHost/peerPrivacy`` has them.
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy)

    // MARK: L2CAP

    /// A peer requests a channel on an SPSM with a listener; `.success` accepts it, every other result refuses it.
    func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult
    /// A channel that a peer requested is open.
    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation)
    /// A channel received one SDU of the peer, which may be empty. The peer cannot send more than the channel's window
    /// until octets are given back with ``LEHost/consume(_:of:)``.
    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer)
    /// A channel accepts octets again after ``LEHost/write(_:on:)`` accepted fewer than it was given.
    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID)
    /// A channel has ended. If its link ended, this comes before the end of the link. The user keeps the received
    /// octets.
    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason)
}

extension LEHostDelegate {
    /// Does nothing.
    public func host(_ host: LEHost, didChange state: LEHostState) {}
    /// Does nothing.
    public func hostDidFinishTurn(_ host: LEHost) {}
    /// Does nothing.
    public func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) {}
    /// Does nothing.
    public func host(_ host: LEHost, didStopAdvertisingBecauseOf error: LEHostError) {}
    /// Does nothing.
    public func host(_ host: LEHost, didConnect link: LinkInformation) {}
    /// Does nothing.
    public func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {}
    /// Does nothing.
    public func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didChangeMTU mtu: Int) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {}
    /// Returns `nil`.
    public func host(_ host: LEHost, cachedDatabaseAt link: LinkInformation) -> GATTCachedDatabase? { nil }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {}
    /// Does nothing.
    public func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) {}
    /// Refuses, so that the client does not wait.
    public func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        host.respond(to: request.id, with: .failure(.unlikelyError))
    }
    /// Passes on a write request without an identifier.
    public func host(
        _ host: LEHost,
        link: LinkID,
        didReceiveWriteCommand value: ByteBuffer,
        to handle: AttributeHandle
    ) {
        let part = GATTWriteRequest.Part(handle: handle, offset: 0, value: value)
        self.host(host, didReceiveWriteRequest: GATTWriteRequest(id: nil, link: link, parts: [part]))
    }
    /// Refuses, so that the client does not wait.
    public func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        if let id = request.id { host.respond(to: id, error: .unlikelyError) }
    }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic: AttributeHandle) {}
    /// Returns `nil`.
    public func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { nil }
    /// Returns false.
    public func host(_ host: LEHost, hasMet address: DeviceAddress) -> Bool { false }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity) {}
    /// Returns no data.
    public func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData { OutOfBandData() }
    /// Refuses every question that has an answer.
    public func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        switch question {
        case .consent: host.answer(.consent(false), on: link)
        case .displayPasskey: break
        case .enterPasskey: host.answer(.passkey(nil), on: link)
        case .compareNumbers: host.answer(.numbersMatch(false), on: link)
        }
    }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didReceiveKeypress notification: KeypressNotification) {}
    /// Does nothing.
    public func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) {}
    /// Returns `nil`.
    public func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient? { nil }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {}
    /// Accepts every request.
    public func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult {
        .success
    }
    /// Does nothing.
    public func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) {}
    /// Gives the octets back immediately.
    public func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        host.consume(octets.readableBytes, of: channel)
    }
    /// Does nothing.
    public func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) {}
    /// Does nothing.
    public func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {}
}
