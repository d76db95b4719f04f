// The control procedures of the link layer except encryption and LE ping (Vol 6, Part B, 5.1): termination, connection
// parameters, features, versions, data length, PHY, channel map. A procedure begins with a command of the host at one
// end, and ends with an event there.
//
//     idle ──command──▶ requested ──response, or the instant of the change──▶ idle + event to the host
//                           └──peripheral's LL_CONNECTION_PARAM_REQ: 40 s──▶ the link ends with 0x22
//
// Each procedure has its own flag or state in the `LinkEnd`, so that different procedures may run concurrently:
// `parameterUpdate` (none, requested, awaitsHost), `awaited` (features, PHY update, ping), `versionExchange`. Data
// length and channel map need none, since they only report changes.
//
// A peer's host can refuse a change of the connection parameters, or never answer; it decides which PHYs and lengths it
// accepts. A repeated request replaces the one that still waits in the queue, so the queue is bounded. With air time, a
// change takes effect `eventsUntilInstant` connection events later.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The state of an end in a change of the connection parameters (5.1.1 and 5.1.7).
enum ParameterUpdate {
    case none
    /// This end's host waits for the outcome.
    case requested
    /// The peripheral asked, and the central's host has to answer.
    case awaitsHost
}

extension AirLink {
    /// Queues a control PDU.
    func send(_ control: LLControlPDU, from end: LinkEnd) {
        // A request that a host may repeat at any time replaces the previous one, so the queue does not grow.
        switch control {
        case .lengthRequest:
            end.control.removeAll { if case .lengthRequest = $0 { true } else { false } }
        case .channelMap:
            end.control.removeAll { if case .channelMap = $0 { true } else { false } }
        default: break
        }
        end.control.append(control)
        self.wake()
    }

    /// Handles a control PDU that `end` has received.
    func receive(_ control: LLControlPDU, at end: LinkEnd) {
        switch control {
        case .terminate(let reason):
            self.end(central: reason, peripheral: reason)
        case .connectionUpdate(let timing):
            self.plan(.timing(timing))
        case .parameterRequest(let parameters):
            self.receiveParameterRequest(parameters, at: end)
        case .parameterReject(let reason):
            end.parameterUpdate = .none
            self.reportTiming(at: end, status: reason)
        case .featureRequest:
            self.send(.featureResponse(end.controller.model.features), from: end)
        case .featureResponse(let features):
            guard end.awaited.remove(.features) != nil else { return }
            end.controller.emit(LEReadRemoteFeaturesComplete(handle: end.handle, features: features))
        case .version(let version):
            let before = end.versionExchange
            end.versionExchange = .known(version)
            // Each end sends its version once (5.1.5): as a request or as the answer.
            switch before {
            case .requested: self.reportVersion(version, at: end)
            case .none, .known: self.send(.version(end.controller.model.peerVersion), from: end)
            }
        case .lengthRequest(let receive, let transmit):
            let maximum = end.controller.model.maximumDataLength
            self.send(.lengthResponse(receive: maximum, transmit: end.preferredLength), from: end)
            self.setLengths(at: end, peerReceive: receive, peerTransmit: transmit)
        case .lengthResponse(let receive, let transmit):
            self.setLengths(at: end, peerReceive: receive, peerTransmit: transmit)
        case .phyRequest(let transmitter, let receiver):
            if end === self.central {
                self.choosePHYs(peerTransmitter: transmitter, peerReceiver: receiver)
            } else {
                self.send(.phyResponse(transmitter: end.transmitterPHYs, receiver: end.receiverPHYs), from: end)
            }
        case .phyResponse(let transmitter, let receiver):
            self.choosePHYs(peerTransmitter: transmitter, peerReceiver: receiver)
        case .phyUpdate(let there, let back):
            self.plan(.phy(centralToPeripheral: there, peripheralToCentral: back))
        case .channelMap(let channels):
            self.channels = channels
        case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
            .encryptionReject, .pauseEncryptionRequest, .pauseEncryptionResponse:
            self.receiveEncryption(control, at: end)
        case .pingRequest:
            self.send(.pingResponse, from: end)
        case .pingResponse:
            end.awaited.remove(.ping)
        }
    }

    // MARK: Termination (5.1.6)

    /// Ends the link for the host at `end`, after sending its data.
    func terminate(from end: LinkEnd, reason: HCIErrorCode) {
        end.state = .ending(reason)
        self.wake()
        // The acknowledgement may never come (5.2).
        if self.isConnected { self.armTermination() }
    }

    // MARK: Timing (5.1.1, 5.1.7)

    /// Asks for other connection parameters for the host at `end`.
    func update(_ parameters: ConnectionParameters, from end: LinkEnd) {
        end.parameterUpdate = .requested
        if end === self.central {
            self.send(.connectionUpdate(AirLinkTiming(parameters)), from: end)
        } else {
            self.expectResponse(at: end)
            self.send(.parameterRequest(parameters), from: end)
        }
    }

    private func receiveParameterRequest(_ parameters: ConnectionParameters, at end: LinkEnd) {
        guard end === self.central else { return }
        guard case .none = end.parameterUpdate, self.pendingChange == nil else {
            return self.send(.parameterReject(.differentTransactionCollision), from: end)
        }
        guard end.controller.model.features.contains(.connectionParametersRequest),
            end.controller.wants(.remoteConnectionParameterRequest)
        else {
            // The controller does not support the request, or its host masks the event; the peripheral's host may ask
            // by L2CAP.
            return self.send(.parameterReject(.unsupportedRemoteFeature), from: end)
        }
        end.parameterUpdate = .awaitsHost
        end.controller.emit(
            LERemoteConnectionParameterRequest(
                handle: end.handle,
                minimumInterval: parameters.minimumInterval,
                maximumInterval: parameters.maximumInterval,
                latency: parameters.latency,
                supervisionTimeout: parameters.supervisionTimeout
            )
        )
    }

    /// Applies parameters of the peripheral's request that the central's host has accepted.
    func accept(_ parameters: ConnectionParameters) {
        self.central.parameterUpdate = .none
        self.send(.connectionUpdate(AirLinkTiming(parameters)), from: self.central)
    }

    /// Rejects the peripheral's request for the central's host.
    func refuseParameters(_ reason: HCIErrorCode) {
        self.central.parameterUpdate = .none
        self.send(.parameterReject(reason), from: self.central)
    }

    private func reportTiming(at end: LinkEnd, status: HCIErrorCode = .success) {
        end.controller.emit(
            LEConnectionUpdateComplete(
                status: status,
                handle: end.handle,
                interval: self.timing.interval,
                latency: self.timing.latency,
                supervisionTimeout: self.timing.supervisionTimeout
            )
        )
    }

    /// Applies a change at both ends.
    func apply(_ change: PendingChange.Change) {
        switch change {
        case .timing(let timing):
            let isNew = timing != self.timing
            self.timing = timing
            for end in [self.central, self.peripheral] {
                // An end that did not ask gets an event only if something has changed (7.7.65.3).
                var isRequested = false
                if case .requested = end.parameterUpdate { isRequested = true }
                end.parameterUpdate = .none
                if isRequested || isNew { self.reportTiming(at: end) }
            }
        case .phy(let there, let back):
            let isNew = there != self.centralToPeripheralPHY || back != self.peripheralToCentralPHY
            self.centralToPeripheralPHY = there
            self.peripheralToCentralPHY = back
            self.refreshLimits()
            for end in [self.central, self.peripheral] {
                if end.awaited.remove(.phyUpdate) != nil || isNew { self.reportPHYs(at: end) }
            }
        }
    }

    // MARK: Versions (5.1.5)

    /// Reads the peer's version for the host at `end`.
    func readVersion(from end: LinkEnd) {
        if case .known(let version) = end.versionExchange { return self.reportVersion(version, at: end) }
        end.versionExchange = .requested
        self.send(.version(end.controller.model.peerVersion), from: end)
    }

    private func reportVersion(_ version: PeerVersion, at end: LinkEnd) {
        end.controller.emit(
            ReadRemoteVersionInformationComplete(
                handle: end.handle,
                version: version.version,
                company: version.company,
                subversion: version.subversion
            )
        )
    }

    // MARK: Lengths (5.1.9)

    /// Sends the peer the lengths that `end` accepts and prefers.
    func updateLengths(from end: LinkEnd) {
        let maximum = end.controller.model.maximumDataLength
        self.send(.lengthRequest(receive: maximum, transmit: end.preferredLength), from: end)
    }

    private func setLengths(at end: LinkEnd, peerReceive: DataLength, peerTransmit: DataLength) {
        let transmit = end.preferredLength.limited(by: peerReceive)
        let receive = peerTransmit.limited(by: end.controller.model.maximumDataLength)
        guard transmit != end.transmitLength || receive != end.receiveLength else { return }
        end.transmitLength = transmit
        end.receiveLength = receive
        self.refreshLimits()
        end.controller.emit(
            LEDataLengthChange(
                handle: end.handle,
                transmitOctets: transmit.octets,
                transmitTime: transmit.time,
                receiveOctets: receive.octets,
                receiveTime: receive.time
            )
        )
    }

    // MARK: PHYs (5.1.10)

    /// Asks for other PHYs for the host at `end`.
    func updatePHYs(from end: LinkEnd) {
        end.awaited.insert(.phyUpdate)
        self.send(.phyRequest(transmitter: end.transmitterPHYs, receiver: end.receiverPHYs), from: end)
    }

    /// Chooses the fastest PHY that both ends accept, in each direction, and announces the change.
    private func choosePHYs(peerTransmitter: PHYSet, peerReceiver: PHYSet) {
        func choose(_ common: PHYSet, else current: PHY) -> PHY {
            [PHY.le2M, .le1M, .leCoded].first { common.contains($0) } ?? current
        }
        let there = choose(
            self.central.transmitterPHYs.intersection(peerReceiver),
            else: self.centralToPeripheralPHY
        )
        let back = choose(
            self.central.receiverPHYs.intersection(peerTransmitter),
            else: self.peripheralToCentralPHY
        )
        self.send(.phyUpdate(centralToPeripheral: there, peripheralToCentral: back), from: self.central)
    }

    private func reportPHYs(at end: LinkEnd) {
        end.controller.emit(
            LEPHYUpdateComplete(
                handle: end.handle,
                transmitter: self.transmitterPHY(of: end),
                receiver: self.transmitterPHY(of: self.peer(of: end))
            )
        )
    }
}
