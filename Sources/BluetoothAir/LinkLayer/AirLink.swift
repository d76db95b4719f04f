// A link between two controllers: what both ends share, how it begins and ends, and what happens when the devices lose
// each other. How packets get across is in `AirLink+Instant` and `AirLink+Events`; the control procedures are in
// `AirLink+Procedures`, `AirLink+Encryption` and `AirLink+Ping`.
//
//     connection request ──▶ connected ──LL_TERMINATE_IND, integrity failed, no response──▶ ended
//                             │     ▲                                                         ▲
//                out of reach │     │ in reach again                                          │
//                             ▼     │                                                         │
//                             severed ──────────────── supervision timeout ───────────────────┘
//
// connected: Packets get across, if the air does not lose them. With loss, `lastHeard` is compared with the supervision
//     timeout at each packet that is lost; a host that ends the link gets the same time for the peer's acknowledgement.
// severed: Nothing gets across, since one end is out of reach or without power, or the air loses everything. The
//     supervision timer runs; what both ends have to send waits.
// ended: Both hosts that are still there have been sent Disconnection Complete, and no timer is armed.
//
// A peer's host can end the link, send data up to the limit of its controller's buffers, and stop responding: then the
// supervision timeout or the 40 s of the response timeout end the link at the other end. Its control PDUs are made by
// its own virtual controller, so none is malformed.
//
// Time comes in through timers: `supervision` (Vol 6, Part B, 4.5.2), `responseTimer` (5.2), `eventTimer`, and the
// `payloadTimer` of each end (5.4).

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// A link.
final class AirLink {
    unowned let air: Air
    let central: LinkEnd
    let peripheral: LinkEnd

    var timing: AirLinkTiming
    var channels: ChannelMap
    var centralToPeripheralPHY: PHY
    var peripheralToCentralPHY: PHY

    private enum State {
        case connected
        case severed
        case ended
    }

    private var state = State.connected
    /// Whether the link has not ended.
    var isOpen: Bool { self.state != .ended }
    /// Whether packets may get across.
    var isConnected: Bool { self.state == .connected }
    /// Whether the ends never hear each other, though both have reported the link.
    private var failsToBeEstablished = false
    /// When a packet last got across while something was to be sent.
    var lastHeard: NIODeadline
    let supervision = AirTimer()
    let responseTimer = AirTimer()
    let eventTimer = AirTimer()

    // MARK: Without air time

    /// Whether packets are being passed on right now, so that an answer does not start it again.
    var isPumping = false
    /// When to try again after a loss.
    var retryTime: NIODeadline?

    // MARK: With air time

    /// The start of connection event 0.
    var anchor: NIODeadline
    /// What the event timer waits for.
    var phase = EventPhase.idle
    /// The number of the last event that took place; -1 before the first.
    var lastEvent: Int64 = -1
    /// A change that both ends make at a later event.
    var pendingChange: PendingChange?

    init(
        air: Air,
        central: LinkEnd,
        peripheral: LinkEnd,
        timing: AirLinkTiming,
        channels: ChannelMap,
        phy: PHY,
        anchor: NIODeadline
    ) {
        self.air = air
        self.central = central
        self.peripheral = peripheral
        self.timing = timing
        self.channels = channels
        self.centralToPeripheralPHY = phy
        self.peripheralToCentralPHY = phy
        self.lastHeard = air.now
        self.anchor = anchor
        self.supervision.action = { [unowned self] in self.supervisionExpired() }
        self.responseTimer.action = { [unowned self] in self.responseTimerFired() }
        self.eventTimer.action = { [unowned self] in self.eventTimerFired() }
        central.payloadTimer.action = { [unowned self] in self.payloadTimerFired(at: self.central) }
        peripheral.payloadTimer.action = { [unowned self] in self.payloadTimerFired(at: self.peripheral) }
        self.refreshLimits()
        self.refreshPaths()
    }

    deinit {
        self.supervision.cancel()
        self.responseTimer.cancel()
        self.eventTimer.cancel()
        self.central.payloadTimer.cancel()
        self.peripheral.payloadTimer.cancel()
    }

    func peer(of end: LinkEnd) -> LinkEnd { end === self.central ? self.peripheral : self.central }

    /// The PHY on which `end` sends.
    func transmitterPHY(of end: LinkEnd) -> PHY {
        end === self.central ? self.centralToPeripheralPHY : self.peripheralToCentralPHY
    }

    /// Something is to be sent.
    func wake() {
        guard self.isConnected else { return }
        if self.air.settings.hasAirTime { self.scheduleEvent() } else { self.pump() }
        self.refreshPaths()
    }

    /// Finds out at which ends data may be delivered at once.
    func refreshPaths() {
        let isClear = self.isConnected && !self.air.settings.hasAirTime && self.air.settings.loss == 0
        self.central.isClear = isClear && self.central.hasClearPath
        self.peripheral.isClear = isClear && self.peripheral.hasClearPath
    }

    /// Finds out how long the data of a packet may be.
    func refreshLimits() {
        for end in [self.central, self.peripheral] {
            let byTime = AirTime.octets(self.transmitterPHY(of: end), within: Int(end.transmitLength.time))
            // Every PHY may carry 27 octets, whatever the maximum time is (Vol 6, Part B, 4.5.10).
            end.transmitLimit = min(Int(end.transmitLength.octets), max(byTime, Int(DataLength.initial.octets)))
        }
    }

    // MARK: Reach

    /// Finds out whether the ends can hear each other, and starts the supervision timer if not.
    func reviewReach() {
        guard self.isOpen, !self.failsToBeEstablished else { return }
        let reaches =
            self.central.isPresent && self.peripheral.isPresent && self.air.settings.loss < 1
            && self.air.strength(from: self.central.controller, to: self.peripheral.controller) != nil
        defer { self.refreshPaths() }
        guard reaches != self.isConnected else { return }
        if reaches {
            self.state = .connected
            self.supervision.cancel()
            if self.central.isTerminating || self.peripheral.isTerminating { self.armTermination() }
            self.lastHeard = self.air.now
            self.wake()
        } else {
            self.state = .severed
            self.phase = .idle
            self.eventTimer.cancel()
            // With the timer goes what it would have sent again; that is sent when the ends hear each other.
            self.retryTime = nil
            self.armSupervision(from: self.air.now)
        }
    }

    /// The air loses more or fewer packets than before.
    func reviewLoss() {
        self.reviewReach()
        guard self.isConnected else { return }
        self.lastHeard = self.air.now
        self.wake()
    }

    /// One of the controllers was switched off or reset.
    func abandoned(by end: LinkEnd) {
        end.state = .gone
        end.control.removeAll()
        end.data.removeAll()
        end.inFlight = nil
        end.payloadTimer.cancel()
        if self.peer(of: end).isPresent { self.reviewReach() } else { self.finish() }
    }

    private func armSupervision(from time: NIODeadline) {
        self.air.arm(self.supervision, at: time + self.timing.supervisionTimeout.timeAmount)
    }

    /// Ends the link in time even where the peer does not acknowledge its end.
    func armTermination() { self.armSupervision(from: self.air.now) }

    private func supervisionExpired() {
        guard self.isOpen else { return }
        let reason = self.failsToBeEstablished ? HCIErrorCode.connectionFailedToBeEstablished : .connectionTimeout
        self.end(central: reason, peripheral: reason)
    }

    /// Nothing gets across, so the link ends after six of its intervals (Vol 6, Part B, 4.5.2).
    func failToBeEstablished() {
        self.failsToBeEstablished = true
        self.state = .severed
        self.refreshPaths()
        self.air.arm(self.supervision, at: self.air.now + self.timing.interval.timeAmount * 6)
    }

    /// A packet of an event was lost.
    ///
    /// Ends the link where too much time has passed since one got across.
    func missedPacket() {
        guard self.air.now - self.lastHeard >= self.timing.supervisionTimeout.timeAmount else { return }
        self.supervisionExpired()
    }

    // MARK: Response timeout

    /// A peer that does not continue a procedure for so long is lost (Vol 6, Part B, 5.2).
    private static let responseTimeout = TimeAmount.seconds(40)

    /// A procedure that began at `end` waits for the peer.
    func expectResponse(at end: LinkEnd) {
        let deadline = self.air.now + Self.responseTimeout
        end.responseDeadline = deadline
        self.air.arm(self.responseTimer, at: min(deadline, self.responseTimer.deadline ?? deadline))
    }

    private func responseTimerFired() {
        for end in [self.central, self.peripheral] where end.isPresent && end.awaitsResponse {
            guard let deadline = end.responseDeadline else { continue }
            if deadline <= self.air.now {
                // Nothing is sent to the peer, whose supervision timeout runs from now on.
                self.close(end, reason: .linkLayerResponseTimeout)
                self.abandoned(by: end)
            } else {
                self.air.arm(self.responseTimer, at: min(deadline, self.responseTimer.deadline ?? deadline))
            }
        }
    }

    // MARK: End

    /// Ends the link; each host that is still there gets its reason.
    func end(central: HCIErrorCode, peripheral: HCIErrorCode) {
        guard self.isOpen else { return }
        let isLocal = self.central.isTerminating
        let isRemote = self.peripheral.isTerminating
        self.finish()
        // A host that asked for the end gets 0x16, whatever ended the link (Vol 4, Part E, 7.7.5).
        self.close(self.central, reason: isLocal ? .localHostTerminated : central)
        self.close(self.peripheral, reason: isRemote ? .localHostTerminated : peripheral)
    }

    /// Takes the link away from the controller of `end`, and reports the reason to its host.
    private func close(_ end: LinkEnd, reason: HCIErrorCode) {
        guard end.isPresent else { return }
        end.state = .gone
        end.payloadTimer.cancel()
        let controller = end.controller
        controller.links.remove(end.handle)
        controller.forgetBuffers(of: end)
        controller.emit(DisconnectionComplete(handle: end.handle, reason: reason))
    }

    /// Stops all timers; nothing happens on the link any more.
    private func finish() {
        self.state = .ended
        self.phase = .idle
        self.supervision.cancel()
        self.responseTimer.cancel()
        self.eventTimer.cancel()
        self.central.payloadTimer.cancel()
        self.peripheral.payloadTimer.cancel()
        self.central.isClear = false
        self.peripheral.isClear = false
    }

    // MARK: Receiving

    /// Takes at `end` what arrived from its peer.
    func receive(_ transmission: LinkPacket, at end: LinkEnd) {
        guard let content = end.open(self.air.interference?(transmission) ?? transmission) else {
            return self.integrityFailed(at: end)
        }
        if end.receiveCipher != nil { end.lastAuthenticatedPayload = self.air.now }
        switch content {
        case .data(let payload, let isStart, _):
            end.controller.deliverData(payload, isStart: isStart, at: end)
        case .control(let control):
            self.receive(control, at: end)
        case .sealed:
            // It was opened.
            break
        }
    }

    /// A packet had the wrong integrity code. The end that notices takes no more packets and sends none, so that the other
    /// one loses it; where that is the first packet with a new key, both hosts get to know that their keys differ.
    private func integrityFailed(at end: LinkEnd) {
        switch end.encryption {
        case .awaitingConfirmation, .confirming:
            self.end(central: .connectionTerminatedMICFailure, peripheral: .connectionTerminatedMICFailure)
        case .none, .pausing, .requesting, .awaitingStart, .paused, .awaitingKey, .refused:
            self.close(end, reason: .connectionTerminatedMICFailure)
            self.abandoned(by: end)
        }
    }
}
