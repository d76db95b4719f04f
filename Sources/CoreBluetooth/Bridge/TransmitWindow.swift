// Flow control between an app and the event loop: how many PDUs without an answer may wait for the radio.

/// Counts what is on its way.
///
/// Full at ``size``; room is announced again at half of that, so that an app is not woken for every single PDU.
struct TransmitWindow {
    /// How many PDUs may wait.
    static let size = 64

    private(set) var count = 0
    private var owesAnnouncement = false

    /// Whether another PDU may be sent.
    var hasRoom: Bool { self.count < Self.size && !self.owesAnnouncement }

    /// Counts a PDU on its way.
    mutating func add() {
        self.count += 1
        if self.count >= Self.size { self.owesAnnouncement = true }
    }

    /// Notes that an app found no room and waits to be told.
    mutating func refuse() { self.owesAnnouncement = true }

    /// Counts PDUs that have left; says whether the app is to be told that there is room.
    mutating func remove(_ count: Int) -> Bool {
        self.count = max(0, self.count - count)
        guard self.owesAnnouncement, self.count <= Self.size / 2 else { return false }
        self.owesAnnouncement = false
        return true
    }
}
