// A link between two controllers: the state that both ends share, how the link begins and ends, and what happens when
// the devices lose each other. `AirLink+Instant` and `AirLink+Events` transmit packets; the control procedures are in
// `AirLink+Procedures`, `AirLink+Encryption` and `AirLink+Ping`.
//
//     connection request ──▶ connected ──LL_TERMINATE_IND, integrity failed, no response──▶ ended
//                             │     ▲                                                         ▲
//                out of reach │     │ in reach again                                          │
//                             ▼     │                                                         │
//                             severed ──────────────── supervision timeout ───────────────────┘
//
// connected: Packets arrive, unless the air loses them. With loss, each lost packet compares `lastHeard` with the
//     supervision timeout; a host that ends the link waits as long for the peer's acknowledgement.
// severed: Nothing arrives, since one end is out of range or switched off, or the air loses everything. The supervision
//     timer runs, and what both ends have to send waits.
// ended: Hosts that still exist have been sent Disconnection Complete, and no timer is armed.
//
// A peer's host can end the link, send data up to the limit of its controller's buffers, and stop responding: then the
// supervision timeout or the response timeout of 40 s ends the link at the other end. Its virtual controller creates
// its control PDUs, so none is malformed.
//
// Timers: `supervision` (Vol 6, Part B, 4.5.2), `responseTimer` (5.2), `eventTimer`, and the `payloadTimer` of each end
// (5.4).

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
    /// Whether packets may arrive.
    var isConnected: Bool { self.state == .connected }
    /// Whether the ends never hear each other though both have reported the link.
    private var failsToBeEstablished = false
    /// When a packet last arrived while there was something to send.
    var lastHeard: NIODeadline
    let supervision = AirTimer()
    let responseTimer = AirTimer()
    let eventTimer = AirTimer()

    // MARK: Without air time

    /// Whether `pump()` is running, so that an answer does not start it again.
    var isPumping = false
    /// When to try again after a loss.
    var retryTime: NIODeadline?

    // MARK: With air time

    /// The start of connection event 0.
    var anchor: NIODeadline
    /// The event that the timer waits for.
    var phase = EventPhase.idle
    /// The number of the last event that took place; -1 before the first.
    var lastEvent: Int64 = -1
    /// A change that takes effect at a later event.
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

    deinit { self.cancelTimers() }

    private func cancelTimers() {
        for timer in [
            self.supervision, self.responseTimer, self.eventTimer, self.central.payloadTimer,
            self.peripheral.payloadTimer,
        ] { timer.cancel() }
    }

    func peer(of end: LinkEnd) -> LinkEnd { end === self.central ? self.peripheral : self.central }

    /// The PHY on which `end` sends.
    func transmitterPHY(of end: LinkEnd) -> PHY {
        end === self.central ? self.centralToPeripheralPHY : self.peripheralToCentralPHY
    }

    /// To be called when there is something to send.
    func wake() {
        guard self.isConnected else { return }
        if self.air.settings.hasAirTime { self.scheduleEvent() } else { self.pump() }
        self.refreshPaths()
    }

    /// Updates which ends may deliver data immediately.
    func refreshPaths() {
        let isClear = self.isConnected && !self.air.settings.hasAirTime && self.air.settings.loss == 0
        self.central.isClear = isClear && self.central.hasClearPath
        self.peripheral.isClear = isClear && self.peripheral.hasClearPath
    }

    /// Updates the maximum length of data in a packet.
    func refreshLimits() {
        for end in [self.central, self.peripheral] {
            let byTime = AirTime.octets(self.transmitterPHY(of: end), within: Int(end.transmitLength.time))
            // Every PHY may carry 27 octets, whatever the maximum time (Vol 6, Part B, 4.5.10).
            end.transmitLimit = min(Int(end.transmitLength.octets), max(byTime, Int(DataLength.initial.octets)))
        }
    }

    // MARK: Reach

    /// Checks whether the ends can hear each other, and starts the supervision timer if not.
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
            // The retransmission is cancelled with the timer, and takes place when the ends hear each other again.
            self.retryTime = nil
            self.armSupervision(from: self.air.now)
        }
    }

    /// Updates the link after a change of the air's loss.
    func reviewLoss() {
        self.reviewReach()
        guard self.isConnected else { return }
        self.lastHeard = self.air.now
        self.wake()
    }

    /// Handles that the controller of `end` was switched off or reset.
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

    /// Ends the link in time even if the peer does not acknowledge the termination.
    func armTermination() { self.armSupervision(from: self.air.now) }

    private func supervisionExpired() {
        guard self.isOpen else { return }
        let reason = self.failsToBeEstablished ? HCIErrorCode.connectionFailedToBeEstablished : .connectionTimeout
        self.end(central: reason, peripheral: reason)
    }

    /// Makes the link fail: nothing arrives, so it ends after six of its intervals (Vol 6, Part B, 4.5.2).
    func failToBeEstablished() {
        self.failsToBeEstablished = true
        self.state = .severed
        self.refreshPaths()
        self.air.arm(self.supervision, at: self.air.now + self.timing.interval.timeAmount * 6)
    }

    /// Handles a lost packet.
    ///
    /// Ends the link if the supervision timeout has passed since the last packet arrived.
    func missedPacket() {
        guard self.air.now - self.lastHeard >= self.timing.supervisionTimeout.timeAmount else { return }
        self.supervisionExpired()
    }

    // MARK: Response timeout

    /// A peer that does not continue a procedure for this long is lost (Vol 6, Part B, 5.2).
    private static let responseTimeout = TimeAmount.seconds(40)

    /// Starts the response timeout of a procedure that began at `end`.
    func expectResponse(at end: LinkEnd) {
        let deadline = self.air.now + Self.responseTimeout
        end.responseDeadline = deadline
        self.air.arm(self.responseTimer, at: min(deadline, self.responseTimer.deadline ?? deadline))
    }

    private func responseTimerFired() {
        for end in [self.central, self.peripheral] where end.isPresent && end.awaitsResponse {
            guard let deadline = end.responseDeadline else { continue }
            if deadline <= self.air.now {
                // The peer is sent nothing; its supervision timeout starts now.
                self.close(end, reason: .linkLayerResponseTimeout)
                self.abandoned(by: end)
            } else {
                self.air.arm(self.responseTimer, at: min(deadline, self.responseTimer.deadline ?? deadline))
            }
        }
    }

    // MARK: End

    /// Ends the link and reports the reasons to the hosts that still exist.
    func end(central: HCIErrorCode, peripheral: HCIErrorCode) {
        guard self.isOpen else { return }
        let isLocal = self.central.isTerminating
        let isRemote = self.peripheral.isTerminating
        self.finish()
        // A host that asked for the end gets 0x16, whatever ended the link (Vol 4, Part E, 7.7.5).
        self.close(self.central, reason: isLocal ? .localHostTerminated : central)
        self.close(self.peripheral, reason: isRemote ? .localHostTerminated : peripheral)
    }

    /// Removes the link from the controller of `end`, and reports the reason to its host.
    private func close(_ end: LinkEnd, reason: HCIErrorCode) {
        guard end.isPresent else { return }
        end.state = .gone
        end.payloadTimer.cancel()
        let controller = end.controller
        controller.links.remove(end.handle)
        controller.forgetBuffers(of: end)
        controller.emit(DisconnectionComplete(handle: end.handle, reason: reason))
    }

    /// Stops all timers.
    private func finish() {
        self.state = .ended
        self.phase = .idle
        self.cancelTimers()
        self.central.isClear = false
        self.peripheral.isClear = false
    }

    // MARK: Receiving

    /// Handles a packet that `end` has received.
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
            // `open(_:)` never returns one.
            break
        }
    }

    /// Handles a packet with a wrong integrity code. The end that notices stops, so that the other one loses it; if it
    /// is the first packet with a new key, both hosts learn that their keys differ.
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
