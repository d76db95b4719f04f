// Advertising, scanning, connecting and addresses, for the user of a host.

public import BluetoothHCI
public import BluetoothTypes

extension LEHost {
    // MARK: Addresses

    /// The identity address of this device, by which peers know it; `nil` if it has none, or without a controller.
    ///
    /// With privacy, it uses other addresses on the air.
    public var address: DeviceAddress? { self.controller.isReady ? self.radio.addresses.identity : nil }

    /// The identity resolving key of this device (IRK). With privacy, its private addresses are generated from it, and
    /// its peers receive it when they pair.
    ///
    /// It belongs to the device's identity: store it with the bonds, and set it before the radio is used, such as when
    /// the host becomes ready. Otherwise a host with privacy generates one.
    public var identityResolvingKey: Octets16? {
        get { self.radio.addresses.identityResolvingKey }
        set { if self.radio.addresses.setKey(newValue) { self.radio.identityChanged() } }
    }

    /// All bonded peers. Their private addresses are resolved, by the controller if it can, and no other device can
    /// claim their identities in a pairing without the user's consent, or with a weaker key.
    public var bondedPeers: [BondedPeer] {
        get { self.radio.addresses.bondedPeers }
        set { if self.radio.addresses.setBondedPeers(newValue) { self.radio.identityChanged() } }
    }

    /// The privacy of bonded peers by their identity addresses, as ``LEHostDelegate/host(_:link:didReadPrivacy:)``
    /// reports it. Store it with the bonds.
    public var peerPrivacy: [DeviceAddress: PeerPrivacy] {
        get { self.radio.addresses.peerPrivacy }
        set { self.radio.addresses.setPeerPrivacy(newValue) }
    }

    // MARK: Advertising, scanning, connecting

    /// Starts advertising, or changes its parameters.
    /// - Parameters:
    ///   - parameters: The data to advertise, and how.
    ///   - completion: Called once, when the controller advertises or has failed to: ``LEHostError/refused(_:)``,
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

    /// Starts scanning, or restarts it with other parameters and an empty duplicate filter.
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
    /// A controller initiates with one set of connection parameters at a time. If several connections are pending, the
    /// parameters of the first one are used, whichever device is received first. A link whose interval is not in its
    /// own range is updated immediately. A different latency or supervision timeout alone does not cause an update.
    /// - Parameters:
    ///   - address: The device.
    ///   - parameters: The link's parameters.
    public func connect(to address: DeviceAddress, parameters: ConnectionParameters = .initial) {
        self.assertOnEventLoop()
        self.radio.initiating.connect(to: address, parameters, isAwaited: self.openLinks.hasUnestablished(to: address))
    }

    /// Cancels a pending connection; if the link has already been opened, ends it. The end is reported if the link was.
    public func cancelConnection(to address: DeviceAddress) {
        guard !self.stopConnecting(to: address) else { return }
        let link = self.openLinks.all.first { $0.information.isCentral && $0.information.peer == address }
        guard let link else { return }
        if !link.isEstablished { link.establishment = .cancelled }
        self.disconnect(link.id)
    }

    /// Cancels a pending connection, but not a link that has already been opened; returns whether one was pending.
    @discardableResult
    package func stopConnecting(to address: DeviceAddress) -> Bool {
        self.assertOnEventLoop()
        return self.radio.initiating.cancel(address)
    }

    /// Whether this controller receives extended advertising and can connect to its advertisers, as far as is known.
    package var hasExtendedAdvertising: Bool { self.radio.extendedCommands.areUsed }

    /// The advertising reports that the user needs, for a channel that can omit others.
    package var reportNeed: AdvertisingReportNeed {
        get { self.radio.scanning.reportNeed }
        set { self.radio.scanning.reportNeed = newValue }
    }
}
