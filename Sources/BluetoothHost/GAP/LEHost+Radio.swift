// Advertising, scanning, connecting and addresses, for the user of a host.

public import BluetoothHCI
public import BluetoothTypes

extension LEHost {
    // MARK: Addresses

    /// The address by which peers know this device, its identity address; `nil` where it has none, or without a
    /// controller.
    ///
    /// One that hides itself is on the air under others.
    public var address: DeviceAddress? { self.controller.isReady ? self.radio.addresses.identity : nil }

    /// The identity resolving key of this device (IRK), of which its private addresses are made where it hides itself,
    /// and which its peers get when they pair.
    ///
    /// It belongs to the device's identity: the owner of the bonds keeps it with them, and sets it before the radio is
    /// used, such as when the host becomes ready. A host that has none by then draws one.
    public var identityResolvingKey: Octets16? {
        get { self.radio.addresses.identityResolvingKey }
        set { if self.radio.addresses.setKey(newValue) { self.radio.identityChanged() } }
    }

    /// All bonded peers. Their private addresses are resolved, in the controller where it can; and no other device can
    /// pair under their identities without the user's consent, or with a weaker key.
    public var bondedPeers: [BondedPeer] {
        get { self.radio.addresses.bondedPeers }
        set { if self.radio.addresses.setBondedPeers(newValue) { self.radio.identityChanged() } }
    }

    /// What bonded peers have said of their privacy, by their identity addresses, as
    /// ``LEHostDelegate/host(_:link:didReadPrivacy:)`` reports it; who keeps the bonds keeps it with them.
    public var peerPrivacy: [DeviceAddress: PeerPrivacy] {
        get { self.radio.addresses.peerPrivacy }
        set { self.radio.addresses.setPeerPrivacy(newValue) }
    }

    // MARK: Advertising, scanning, connecting

    /// Starts advertising, or changes how it is done.
    /// - Parameters:
    ///   - parameters: What is advertised, and how.
    ///   - completion: Called once, when the controller advertises or cannot: ``LEHostError/refused(_:)``,
    ///     ``LEHostError/unanswered``, ``LEHostError/controllerLost``, ``LEHostError/addressNotResolvedByPeer``, or
    ///     ``LEHostError/superseded`` by a later call or ``stopAdvertising()``.
    public func startAdvertising(
        _ parameters: AdvertisingParameters,
        completion: @escaping (Result<Void, LEHostError>) -> Void
    ) {
        self.assertOnEventLoop()
        guard self.controller.channel != nil else {
            return self.afterwards { completion(.failure(.controllerLost)) }
        }
        if let peer = parameters.directedTo?.withoutIdentity, !self.radio.addresses.mayDirectAdvertising(to: peer) {
            return self.afterwards { completion(.failure(.addressNotResolvedByPeer)) }
        }
        self.radio.advertising.start(parameters, completion: completion)
    }

    /// Stops advertising.
    public func stopAdvertising() {
        self.assertOnEventLoop()
        self.radio.advertising.stop()
    }

    /// Starts scanning, or starts anew with other parameters and an empty duplicate filter.
    public func startScanning(_ parameters: ScanParameters) {
        self.assertOnEventLoop()
        self.radio.scanning.start(parameters)
    }

    /// Stops scanning.
    public func stopScanning() {
        self.assertOnEventLoop()
        self.radio.scanning.stop()
    }

    /// Connects to a device as soon as it is received; the connection is pending until the device has answered on its
    /// link, or it is cancelled. A link that fails to be established (0x3E) is tried again up to three times.
    ///
    /// A controller initiates with one set of connection parameters at a time. Where several connections are pending,
    /// these are the parameters of the first one, whichever device is received first. A link whose interval is then not
    /// in the range that was asked for its device gets its own parameters by a connection update at once. Latency and
    /// supervision timeout alone are no reason for an update.
    /// - Parameters:
    ///   - address: The device.
    ///   - parameters: What the link begins with, or is updated to.
    public func connect(to address: DeviceAddress, parameters: ConnectionParameters = .initial) {
        self.assertOnEventLoop()
        self.radio.initiating.connect(to: address, parameters, isAwaited: self.openLinks.hasUnestablished(to: address))
    }

    /// Cancels a pending connection; where the link was made first, it is ended. The delegate hears of that end if it
    /// has heard of the link.
    public func cancelConnection(to address: DeviceAddress) {
        guard !self.stopConnecting(to: address) else { return }
        let link = self.openLinks.all.first { $0.information.isCentral && $0.information.peer == address }
        guard let link else { return }
        if !link.isEstablished { link.establishment = .cancelled }
        self.disconnect(link.id)
    }

    /// Cancels a pending connection, and leaves a link that was made first; says whether one was pending.
    @discardableResult
    public func stopConnecting(to address: DeviceAddress) -> Bool {
        self.assertOnEventLoop()
        return self.radio.initiating.cancel(address)
    }

    /// Whether this controller hears extended advertising and connects to devices that advertise so, as far as it is
    /// known.
    public var hasExtendedAdvertising: Bool { self.radio.extendedCommands.areUsed }

    /// Which advertising reports the user needs; for a channel that can omit others.
    package var reportNeed: AdvertisingReportNeed {
        get { self.radio.scanning.reportNeed }
        set { self.radio.scanning.reportNeed = newValue }
    }
}
