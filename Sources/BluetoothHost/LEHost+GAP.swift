// The host's Generic Access Profile: advertising, scanning and connecting, each brought to what the user wants by a
// machine of its own (Vol 3, Part C, 9).

public import BluetoothHCI
public import BluetoothTypes
import NIOCore

extension LEHost {
    // MARK: For the user

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
        guard self.channel != nil else { return self.afterwards { completion(.failure(.controllerLost)) } }
        if let peer = parameters.directedTo?.withoutIdentity, !self.mayDirectAdvertising(to: peer) {
            return self.afterwards { completion(.failure(.addressNotResolvedByPeer)) }
        }
        let number = self.advertiser.start(parameters)
        self.advertisingCompletions[number] = completion
        self.scheduleTurn()
    }

    /// Stops advertising.
    public func stopAdvertising() {
        self.assertOnEventLoop()
        self.advertiser.stop()
        self.endAdvertisingStarts(.superseded)
        self.scheduleTurn()
    }

    /// Starts scanning, or starts anew with other parameters and an empty duplicate filter.
    public func startScanning(_ parameters: ScanParameters) {
        self.assertOnEventLoop()
        self.scanner.start(parameters)
        self.scheduleTurn()
    }

    /// Stops scanning.
    public func stopScanning() {
        self.assertOnEventLoop()
        self.scanner.stop()
        self.scheduleTurn()
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
        self.connectionParameters[address] = parameters
        if !self.hasUnestablishedLink(to: address) { self.initiator.connect(to: address) }
        self.scheduleTurn()
    }

    /// Cancels a pending connection; where the link was made first, it is ended. The delegate hears of that end if it
    /// has heard of the link.
    public func cancelConnection(to address: DeviceAddress) {
        guard !self.stopConnecting(to: address) else { return }
        guard let link = self.openLinks.first(where: { $0.information.isCentral && $0.information.peer == address })
        else { return }
        if !link.isEstablished { link.establishment = .cancelled }
        self.disconnect(link.id)
    }

    /// Cancels a pending connection, and leaves a link that was made first; says whether one was pending.
    @discardableResult
    public func stopConnecting(to address: DeviceAddress) -> Bool {
        self.assertOnEventLoop()
        self.connectionParameters[address] = nil
        guard self.initiator.cancel(address) else { return false }
        self.scheduleTurn()
        return true
    }

    /// Measures the signal strength of a link.
    /// - Parameters:
    ///   - link: The link.
    ///   - completion: Called once with the strength, which is `nil` where the controller does not know it, or with
    ///     ``LEHostError/notConnected``, ``LEHostError/refused(_:)``, ``LEHostError/unanswered``,
    ///     ``LEHostError/malformedAnswer`` or ``LEHostError/controllerLost``.
    public func readRSSI(of link: LinkID, completion: @escaping (Result<RSSI?, LEHostError>) -> Void) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        self.send(ReadRSSI(handle: link.handle)) { result in
            completion(result.map(\.rssi))
        }
    }

    /// Asks for connection parameters: interval 7.5 ms to 4 s, latency 0 to 499 events, supervision timeout 100 ms to
    /// 32 s. A central sets them; a peripheral asks its central, which decides.
    public func requestConnectionParameters(_ parameters: ConnectionParameters, of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.linksByID[link] else { return }
        if link.information.isCentral {
            self.send(LEConnectionUpdate(handle: link.handle, parameters: parameters))
        } else {
            link.signalling.requestParameters(
                LEConnectionParameterRequest(asking: parameters),
                now: self.eventLoop.now,
                into: &link.signallingActions
            )
            self.reconsiderTimer(for: link.signalling.nextDeadline)
            self.noteWork(link)
        }
    }

    // MARK: Driving the machines

    /// Sends what advertiser, scanner and initiator need next.
    func reconcile() {
        guard case .ready = self.state else { return }
        self.preparePrivacy()
        self.shareRadio()
        if let step = self.advertiser.next() { self.perform(step) }
        if let step = self.scanner.next() { self.perform(step) }
        if let step = self.initiator.next() { self.perform(step) }
        self.changePrivacy()
        self.rotationDeadline =
            self.initiator.hasDevicesInWaiting
            ? self.rotationDeadline ?? self.eventLoop.now + Self.rotationInterval : nil
        if self.advertisingCompletions.count > 1 {
            self.endAdvertisingStarts(.superseded, before: self.advertisingCompletions.keys.max())
        }
    }

    /// How long devices that do not fit into the controller's accept list wait until the list holds them.
    private static var rotationInterval: TimeAmount { .seconds(5) }

    /// Goes on where an answer for the initiator is overdue.
    func advanceInitiator(to now: NIODeadline) {
        if let deadline = self.cancelDeadline, deadline <= now {
            self.cancelDeadline = nil
            self.log.warning("the controller did not report the end of a cancelled connection")
            self.initiator.cancellingTimedOut()
        }
        if let deadline = self.attemptDeadline, deadline <= now {
            self.attemptDeadline = nil
            self.initiator.forgetHeard()
        }
        if let deadline = self.rotationDeadline, deadline <= now {
            self.rotationDeadline = nil
            self.initiator.rotate()
        }
    }

    /// Ends the calls to start advertising that came before the one with a number, or all of them, in their order.
    func endAdvertisingStarts(_ error: LEHostError, before last: Int? = nil) {
        for number in self.advertisingCompletions.keys.sorted() where number < last ?? .max {
            guard let completion = self.advertisingCompletions.removeValue(forKey: number) else { continue }
            self.afterwards { completion(.failure(error)) }
        }
    }

    // MARK: Reports

    func receive(_ reports: LEAdvertisingReports) {
        guard self.scanner.isNeeded else { return }
        for report in reports {
            self.extendedCommands.heard(by: .legacy)
            let type = report.eventType
            let isConnectable = type == .connectableUndirected || type == .connectableDirected
            guard let address = self.heard(report.address, isConnectable: isConnectable) else { continue }
            self.delegate?.host(
                self,
                didReceiveAdvertisement: AdvertisingReport(
                    address: address,
                    isConnectable: isConnectable,
                    isScannable: type == .connectableUndirected || type == .scannableUndirected,
                    isScanResponse: type == .scanResponse,
                    data: report.data,
                    rssi: report.rssi
                )
            )
        }
    }

    func receive(_ reports: LEExtendedAdvertisingReports) {
        guard self.scanner.isNeeded else { return }
        self.extendedCommands.heard(by: .extended)
        for report in reports {
            // Anonymous advertisers cannot be distinguished.
            guard report.address != nil,
                let report = self.advertisingReassembler.receive(report, now: self.eventLoop.now),
                let address = report.address,
                let address = self.heard(address, isConnectable: report.eventType.contains(.connectable))
            else { continue }
            self.delegate?.host(
                self,
                didReceiveAdvertisement: AdvertisingReport(
                    address: address,
                    isConnectable: report.eventType.contains(.connectable),
                    isScannable: report.eventType.contains(.scannable),
                    isScanResponse: report.eventType.contains(.scanResponse),
                    isTruncated: report.eventType.dataStatus != .complete,
                    data: report.data,
                    rssi: report.rssi,
                    primaryPHY: report.primaryPHY,
                    secondaryPHY: report.secondaryPHY
                )
            )
        }
    }
}

extension Result where Success: HCIReturnParameters, Failure == LEHostError {
    /// Why the command failed; `nil` where it succeeded.
    var failure: LEHostError? { if case .failure(let failure) = self { failure } else { nil } }

    /// The status that the command ended with.
    var status: HCIErrorCode { self.failure?.status ?? .success }
}

extension ConnectionParameters {
    /// What Apple's devices ask for at first: 30 ms, no latency, and a supervision timeout that notices a lost device
    /// within a second.
    public static let initial = ConnectionParameters(
        minimumInterval: ConnectionInterval(.milliseconds(30)),
        maximumInterval: ConnectionInterval(.milliseconds(30)),
        supervisionTimeout: SupervisionTimeout(.milliseconds(720))
    )
}
