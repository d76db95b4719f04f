// Packets on an air without air time: they arrive immediately. A lost packet is sent again one connection interval
// later, as in the next connection event; so nothing is dropped or reordered, and an idle link costs nothing.

import NIOCore

extension AirLink {
    /// Passes on all data and control PDUs of both ends.
    func pump() {
        guard !self.isPumping else { return }
        if let retryTime = self.retryTime, self.air.now < retryTime { return }
        self.isPumping = true
        defer { self.isPumping = false }
        if self.retryTime == nil { self.lastHeard = self.air.now }
        self.retryTime = nil
        var isBusy = true
        while isBusy {
            let fromCentral = self.pumpOne(from: self.central, to: self.peripheral)
            let fromPeripheral = self.pumpOne(from: self.peripheral, to: self.central)
            isBusy = fromCentral || fromPeripheral
        }
    }

    private func pumpOne(from end: LinkEnd, to peer: LinkEnd) -> Bool {
        guard self.isConnected, self.retryTime == nil,
            let transmission = end.nextTransmission(to: peer)
        else { return false }
        guard !self.air.losesPacket() else {
            let time = self.air.now + self.timing.interval.timeAmount
            self.retryTime = time
            self.air.arm(self.eventTimer, at: time)
            self.missedPacket()
            return false
        }
        self.lastHeard = self.air.now
        end.acknowledge()
        self.receive(transmission, at: peer)
        return true
    }
}
