// Packets on an air with air time, in connection events (Vol 6, Part B, 4.5). At each anchor point the central sends a
// packet and the peripheral answers 150 us later, and so on while one of them has more data, until the next event of
// this link or of another link of either controller. The next packet in the other direction acknowledges a packet; a
// lost packet ends the event and is retransmitted in the next.
//
// Two simplifications: if the radio is busy with another link, an event starts late instead of being missed; and an
// event in which neither end has data is not simulated, unless the air loses packets.

import BluetoothTypes
import NIOCore

/// The events that a link's timer waits for.
enum EventPhase {
    case idle
    /// The start of an event.
    case event(Int64)
    /// The end of the central's packet and the peripheral's answer.
    case exchange(Exchange)
}

/// A packet of the central and the peripheral's answer in transmission.
struct Exchange {
    var event: Int64
    var central: LinkPacket?
    var peripheral: LinkPacket?
    var losesCentral: Bool
    var losesPeripheral: Bool
    /// Whether one of the two has more to send.
    var hasMore: Bool
    /// The latest end of the event.
    var limit: NIODeadline
}

/// A change of the link that takes effect at the start of an event.
struct PendingChange {
    enum Change {
        case timing(AirLinkTiming)
        case phy(centralToPeripheral: PHY, peripheralToCentral: PHY)
    }

    var event: Int64
    var change: Change
}

extension AirLink {
    /// The number of events from the central's announcement of a change to its instant (Vol 6, Part B, 5.5).
    static let eventsUntilInstant: Int64 = 6

    private var needsEvents: Bool {
        self.central.hasWork || self.peripheral.hasWork || self.pendingChange != nil || self.air.settings.loss > 0
    }

    private func time(of event: Int64) -> NIODeadline {
        self.anchor + self.timing.interval.timeAmount * event
    }

    /// The first event that starts at `time` or later.
    private func event(from time: NIODeadline) -> Int64 {
        let passed = (time - self.anchor).nanoseconds
        guard passed > 0 else { return 0 }
        let interval = self.timing.interval.timeAmount.nanoseconds
        return (passed + interval - 1) / interval
    }

    /// Whether the peripheral listens in an event: with latency it skips some while it has nothing to send.
    private func isAttended(_ event: Int64) -> Bool {
        if self.timing.latency == 0 || self.pendingChange != nil { return true }
        return event % (Int64(self.timing.latency) + 1) == 0 || self.peripheral.hasWork
    }

    /// Arms the timer for the next event with something to send.
    func scheduleEvent() {
        switch self.phase {
        case .exchange: return
        case .idle, .event: break
        }
        guard self.isConnected, self.needsEvents else { return }
        var event = max(self.event(from: self.air.now), self.lastEvent + 1)
        while !self.isAttended(event) { event += 1 }
        if case .event(let armed) = self.phase, armed <= event { return }
        self.phase = .event(event)
        self.air.arm(self.eventTimer, at: self.time(of: event))
    }

    func eventTimerFired() {
        guard self.isConnected else { return }
        guard self.air.settings.hasAirTime else {
            self.pump()
            return self.refreshPaths()
        }
        switch self.phase {
        case .idle: break
        case .event(let event): self.begin(event)
        case .exchange(let exchange): self.finish(exchange)
        }
    }

    private func begin(_ event: Int64) {
        let now = self.air.now
        let busy = max(self.central.controller.radioBusyUntil, self.peripheral.controller.radioBusyUntil)
        if busy > now {
            self.air.arm(self.eventTimer, at: busy)
            return
        }
        if let pending = self.pendingChange, pending.event <= event {
            self.pendingChange = nil
            self.anchor = self.time(of: event)
            self.lastEvent = -1
            self.apply(pending.change)
            return self.begin(0)
        }
        self.lastEvent = event
        var limit = self.time(of: event + 1)
        for controller in [self.central.controller, self.peripheral.controller] {
            for entry in controller.links.entries where entry.link !== self {
                if case .event(let other) = entry.link.phase { limit = min(limit, entry.link.time(of: other)) }
            }
        }
        self.send(event: event, at: now, limit: limit)
    }

    /// Transmits the central's next packet and the answer.
    private func send(event: Int64, at start: NIODeadline, limit: NIODeadline) {
        let central = self.central
        let peripheral = self.peripheral
        let losesCentral = self.air.losesPacket()
        // The central's packet acknowledges the last packet that it received.
        if !losesCentral, peripheral.inFlight?.isReceived == true { peripheral.acknowledge() }
        let fromCentral = central.nextTransmission(to: peripheral)
        let fromPeripheral = losesCentral ? nil : peripheral.nextTransmission(to: central)
        let exchange = Exchange(
            event: event,
            central: fromCentral,
            peripheral: fromPeripheral,
            losesCentral: losesCentral,
            losesPeripheral: self.air.losesPacket(),
            hasMore: central.canSendMore(to: peripheral) || peripheral.canSendMore(to: central),
            limit: limit
        )
        let end = start + self.duration(fromCentral?.octetCount, fromPeripheral?.octetCount)
        self.phase = .exchange(exchange)
        central.controller.radioBusyUntil = end
        peripheral.controller.radioBusyUntil = end
        self.air.arm(self.eventTimer, at: end)
    }

    /// The duration of a packet, the pause and the answer; an end without data sends an empty packet.
    private func duration(_ fromCentral: Int?, _ fromPeripheral: Int?) -> TimeAmount {
        let there = AirTime.microseconds(
            self.centralToPeripheralPHY,
            payload: fromCentral ?? 0
        )
        let back = AirTime.microseconds(
            self.peripheralToCentralPHY,
            payload: fromPeripheral ?? 0
        )
        return .microseconds(there + AirTime.interFrameSpace + back)
    }

    /// Ends an exchange: its packets have arrived or were lost.
    private func finish(_ exchange: Exchange) {
        let central = self.central
        let peripheral = self.peripheral
        self.phase = .idle
        if !exchange.losesCentral {
            if let transmission = exchange.central, central.markInFlightReceived() {
                self.receive(transmission, at: peripheral)
            }
            if self.isOpen, !exchange.losesPeripheral {
                self.lastHeard = self.air.now
                if exchange.central != nil { central.acknowledge() }
                if let transmission = exchange.peripheral, peripheral.markInFlightReceived() {
                    self.receive(transmission, at: central)
                }
            }
        }
        guard self.isConnected else { return }
        if exchange.losesCentral || exchange.losesPeripheral {
            self.missedPacket()
        } else if exchange.hasMore || central.inFlight != nil {
            self.goOn(exchange)
        }
        self.scheduleEvent()
        self.refreshPaths()
    }

    /// Continues the event if there is time for another exchange.
    private func goOn(_ exchange: Exchange) {
        let start = self.air.now + .microseconds(AirTime.interFrameSpace)
        let next = self.duration(
            self.central.nextOctetCount(to: self.peripheral),
            self.peripheral.nextOctetCount(to: self.central)
        )
        guard start + next + .microseconds(AirTime.interFrameSpace) <= exchange.limit else { return }
        self.send(event: exchange.event, at: start, limit: exchange.limit)
    }

    /// Plans a change that the central has announced.
    func plan(_ change: PendingChange.Change) {
        guard self.air.settings.hasAirTime else { return self.apply(change) }
        self.pendingChange = PendingChange(event: self.lastEvent + Self.eventsUntilInstant, change: change)
        self.scheduleEvent()
    }
}
