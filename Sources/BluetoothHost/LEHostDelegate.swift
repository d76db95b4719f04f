// What a host reports to its user. All calls come on the host's event loop, in the order in which things happened; a
// user that lives elsewhere gathers them until `hostDidFinishTurn(_:)` and hops once.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// The user of a host. It implements what concerns it; what it leaves out is ignored, or refused where a peer waits.
public protocol LEHostDelegate: AnyObject {
    // MARK: Controller

    /// The host's state changed. In every state but `ready`, advertising, scanning and all links have ended.
    func host(_ host: LEHost, didChange state: LEHostState)
    /// Everything that came together has been reported.
    func hostDidFinishTurn(_ host: LEHost)

    // MARK: GAP

    /// An advertisement or a scan response was received.
    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport)
    /// Advertising that had started is over, since the controller refuses to go on with it after a link or an address.
    func host(_ host: LEHost, didStopAdvertisingBecauseOf error: LEHostError)
    /// A link is there, in either role; as central only once the peer has answered on it.
    func host(_ host: LEHost, didConnect link: LinkInformation)
    /// A pending connection ended with an error other than being cancelled, or its link was not established.
    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode)
    /// A link ended. Open procedures of the link have been completed with ``GATTError/disconnected(_:)`` before.
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode)

    // MARK: ATT

    /// The ATT MTU of a link changed; `mtu` octets from now on.
    func host(_ host: LEHost, link: LinkID, didChangeMTU mtu: Int)
    /// `count` PDUs of this owner have left for the controller or will never leave, an indication when it was
    /// confirmed.
    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken)

    // MARK: GATT client

    /// A notification or an indication came; an indication has been confirmed.
    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle)
    /// What is cached of the database of a server, so that it can be validated: asked on each link that was opened as
    /// central, and again after ``LEHost/validateDatabaseCache(on:)``.
    func host(_ host: LEHost, cachedDatabaseAt link: LinkInformation) -> GATTCachedDatabase?
    /// It is known whether the cached database holds. The next procedure of the link begins after this.
    func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation)
    /// The server says that its services in `range` changed.
    func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange)
    /// The server of a link has said that its database is another one than this client knows (Vol 3, Part G, 2.5.2.1).
    ///
    /// The procedure that was refused has ended before this.
    func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID)

    // MARK: GATT server

    /// A client reads a dynamic value; it waits until ``LEHost/respond(to:with:)`` answers.
    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest)
    /// A client writes; where the request has an identifier, it waits until ``LEHost/respond(to:error:)`` answers.
    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest)
    /// A client writes a value without response. A delegate that does not implement this gets a ``GATTWriteRequest``
    /// without an identifier.
    func host(_ host: LEHost, link: LinkID, didReceiveWriteCommand value: ByteBuffer, to handle: AttributeHandle)
    /// A client wrote a Client Characteristic Configuration; `isSubscribed` is false at the end of a link, too.
    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle)

    // MARK: Security

    /// What is kept of the peer of a link that was just established; `nil` for a peer that is not bonded.
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond?
    /// Whether a device was met on the air under an identity address, so that no other one may claim it unasked.
    func host(_ host: LEHost, hasMet address: DeviceAddress) -> Bool
    /// A link is more or less secure now, or its peer is bonded.
    func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity)
    /// What is known of the peer of a link, and the peer of this device, by another way than Bluetooth: asked before each
    /// step after which a pairing may be in progress (Vol 3, Part H, 2.3.5.4, 2.3.5.6.4).
    func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData
    /// A pairing needs the user; ``LEHost/answer(_:on:)`` answers, unless there is nothing to answer. The question is over
    /// when the devices have paired, or failed to.
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion)
    /// The user of the peer has pressed a key while entering a passkey.
    func host(_ host: LEHost, link: LinkID, didReceiveKeypress notification: KeypressNotification)
    /// The peer of a link that was established under another address, as a rule a private one, is known by its identity
    /// address now: the devices have paired. From now on the link, and all that concerns the peer, has that address.
    func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress)
    /// The devices have paired; where both keep keys, `bond` is to be kept, in place of an earlier one.
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool)
    /// A pairing, or a request for one, came to nothing.
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError)
    /// What is kept of the peer's client: asked once for a link, when it is bonded and encrypted; `nil` for a new bond.
    func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient?
    /// What is to be kept of a bonded client has changed.
    func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient)
    /// The peer has signed a command with this counter: it is to be kept with the bond, and no lower one is accepted
    /// again.
    func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32)

    /// A bonded peer has said what it does for its privacy: asked once for a bond, unless ``LEHost/peerPrivacy`` has it.
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy)

    // MARK: L2CAP

    /// A peer asks for a channel on an SPSM that is listened on; `.success` accepts it, every other result refuses it.
    func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult
    /// A channel that a peer asked for is open.
    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation)
    /// Octets came on a channel: one SDU of the peer, which may be empty. The peer can send more than the channel's
    /// window only when they were given back with ``LEHost/consume(_:of:)``.
    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer)
    /// A channel takes octets again after ``LEHost/write(_:on:)`` has taken less than it was given.
    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID)
    /// A channel has ended; of a link that ended before the link itself. What was received remains the user's.
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
    /// Nothing is cached.
    public func host(_ host: LEHost, cachedDatabaseAt link: LinkInformation) -> GATTCachedDatabase? { nil }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation) {}
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {}
    /// Does nothing.
    public func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) {}
    /// Refuses, so that the client need not wait.
    public func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        host.respond(to: request.id, with: .failure(.unlikelyError))
    }
    /// Hands it on as a request without an identifier.
    public func host(
        _ host: LEHost,
        link: LinkID,
        didReceiveWriteCommand value: ByteBuffer,
        to handle: AttributeHandle
    ) {
        let part = GATTWriteRequest.Part(handle: handle, offset: 0, value: value)
        self.host(host, didReceiveWriteRequest: GATTWriteRequest(id: nil, link: link, parts: [part]))
    }
    /// Refuses, so that the client need not wait.
    public func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        if let id = request.id { host.respond(to: id, error: .unlikelyError) }
    }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic: AttributeHandle) {}
    /// Nothing is kept.
    public func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { nil }
    /// None was met.
    public func host(_ host: LEHost, hasMet address: DeviceAddress) -> Bool { false }
    /// Does nothing.
    public func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity) {}
    /// There is nothing.
    public func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData { OutOfBandData() }
    /// Refuses what has an answer.
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
    /// Nothing is kept.
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
    /// Gives the octets back at once.
    public func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        host.consume(octets.readableBytes, of: channel)
    }
    /// Does nothing.
    public func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) {}
    /// Does nothing.
    public func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {}
}
