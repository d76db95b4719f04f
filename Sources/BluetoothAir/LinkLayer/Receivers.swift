// The controllers that may hear an advertising set: looked up once, and again when a device near the sender appears,
// leaves or moves, or an obstacle changes. Each entry remembers what was reported to the receiver, so that an
// advertising event without news costs one comparison per receiver.

import BluetoothTypes

/// The controllers that may hear an advertising set, in the order of creation.
struct Receivers {
    /// A receiver.
    struct Entry {
        let slot: AirSlot
        /// Its number in the order of creation.
        let order: Int
        /// The number of the change that placed it on the map.
        let change: UInt64
        /// The strength at which it hears the set; `nil` if it does not.
        let rssi: RSSI?
        var reported = ReportedAdvertising()
    }

    var entries: [Entry] = []
    /// The last change of the map at the last lookup; `nil` before the first.
    private var change: UInt64?
    private var location = AirLocation.distance(.metres(1))
    private var txPower: TransmitPower = 0
    private var obstacleChanges = 0

    /// Looks up the receivers of a sender if they may have changed.
    mutating func update(for sender: Controller, txPower: TransmitPower, on map: AirMap, _ obstacles: Obstacles) {
        let location = sender.location
        let isSame =
            self.location == location && self.txPower == txPower && self.obstacleChanges == obstacles.changeCount
        // A device that sends with more than 0 dBm may be heard beyond the cells around it.
        let isNear = txPower <= 0
        if isSame, let change {
            let isUnchanged = isNear ? map.isUnchanged(since: change, around: location) : map.lastChange == change
            if isUnchanged { return }
        }
        let before = self.entries
        var next = 0
        self.entries.removeAll(keepingCapacity: true)
        for candidate in isNear ? map.candidates(around: location) : map.all where candidate.order != sender.index {
            while next < before.count, before[next].order < candidate.order { next += 1 }
            let known = next < before.count && before[next].order == candidate.order ? before[next] : nil
            if isSame, let known, known.change == candidate.change {
                self.entries.append(known)
                continue
            }
            let rssi = PathLoss.strength(
                distance: location.distance(to: candidate.location),
                txPower: txPower,
                attenuation: obstacles.attenuation(
                    between: (sender.index, location),
                    and: (candidate.order, candidate.location)
                )
            )
            var entry = Entry(slot: candidate.slot, order: candidate.order, change: candidate.change, rssi: rssi)
            if let known, known.rssi == rssi { entry.reported = known.reported }
            self.entries.append(entry)
        }
        self.change = map.lastChange
        self.location = location
        self.txPower = txPower
        self.obstacleChanges = obstacles.changeCount
    }
}

/// The last report of an advertising set to one receiver's host, which may not need repetitions; see
/// ``AdvertisingReportNeed``.
struct ReportedAdvertising {
    /// The scan to which this applies.
    private var scan = Hearing.notListening
    /// The content of the set to which this applies.
    private var content: UInt32 = 0
    private var reportCount: UInt8 = 0
    private var isResponseReported = false
    private var awaitsResponse = false

    /// Whether a report would only repeat an earlier one. To a host, a second report means that the scan response was
    /// lost.
    private var omitsReport: Bool {
        self.reportCount >= 2 || (self.reportCount == 1 && (self.isResponseReported || !self.awaitsResponse))
    }

    /// Whether the host of a scan has everything of a content.
    func isComplete(_ content: UInt32, for scan: Hearing) -> Bool {
        self.scan == scan && self.content == content && self.omitsReport
            && (self.isResponseReported || !self.awaitsResponse)
    }

    /// Whether to report the advertisement to a scanner that does or does not ask for a scan response.
    mutating func needsReport(_ content: UInt32, for scan: Hearing, awaitsResponse: Bool) -> Bool {
        guard scan.omitsRepetitions else { return true }
        if self.scan != scan || self.content != content {
            self = ReportedAdvertising()
            self.scan = scan
            self.content = content
        }
        self.awaitsResponse = awaitsResponse
        return !self.omitsReport
    }

    /// Whether to report the scan response.
    func needsResponse(for scan: Hearing) -> Bool { !scan.omitsRepetitions || !self.isResponseReported }

    mutating func noteReport() { self.reportCount = min(self.reportCount + 1, 2) }

    mutating func noteResponse() { self.isResponseReported = true }
}

/// Which advertising a controller listens for, in a form that is fast to compare.
struct Hearing: Hashable {
    private var number: UInt32

    /// None: it neither scans nor initiates.
    static let notListening = Hearing(number: 0)
    /// Every packet.
    static let everything = Hearing(number: 1)

    /// Changes, for the host of the scan with a number.
    static func changes(_ number: UInt32) -> Hearing { Hearing(number: number) }

    /// The next number for a scan.
    static func number(after number: UInt32) -> UInt32 { number == .max ? 2 : max(number, 1) + 1 }

    /// Whether repetitions need not be reported.
    var omitsRepetitions: Bool { self.number > 1 }
}
