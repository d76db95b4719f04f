// Who may hear an advertising set: looked up once, and again when a device near the sender comes, goes or moves, or
// something between them changes. With each receiver stands what it was sent of the set before, so that an advertising
// event at which nobody hears anything new costs a comparison for each receiver.

import BluetoothTypes

/// Those that may hear an advertising set, in the order of creation.
struct Receivers {
    /// One of them.
    struct Entry {
        let slot: AirSlot
        /// Its number in the order of creation.
        let order: Int
        /// The number of the change of the map that brought it to its place.
        let change: UInt64
        /// The strength at which it hears the set; `nil` where it does not.
        let rssi: RSSI?
        var reported = ReportedAdvertising()
    }

    var entries: [Entry] = []
    /// The last change of the map that was looked at; `nil` before the first look.
    private var change: UInt64?
    private var location = AirLocation.distance(.metres(1))
    private var txPower: TransmitPower = 0
    private var obstacleChanges = 0

    /// Looks up who hears a sender, where that may have changed.
    mutating func update(for sender: Controller, txPower: TransmitPower, on map: AirMap, _ obstacles: Obstacles) {
        let location = sender.location
        let isSame =
            self.location == location && self.txPower == txPower && self.obstacleChanges == obstacles.changeCount
        // A device that sends louder than 0 dBm may be heard beyond the cells around it.
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

/// What of an advertising set was reported to one receiver's host, which may need no repetition; see
/// ``AdvertisingReportNeed``.
struct ReportedAdvertising {
    /// The scan for which this holds.
    private var scan = Hearing.notListening
    /// The content of the set for which this holds.
    private var content: UInt32 = 0
    private var reportCount: UInt8 = 0
    private var isResponseReported = false
    private var awaitsResponse = false

    /// Whether a report would repeat what the host has had. A host takes the second one as the sign that a scan response
    /// was lost.
    private var omitsReport: Bool {
        self.reportCount >= 2 || (self.reportCount == 1 && (self.isResponseReported || !self.awaitsResponse))
    }

    /// Whether the host of a scan has all that there is of a content.
    func isComplete(_ content: UInt32, for scan: Hearing) -> Bool {
        self.scan == scan && self.content == content && self.omitsReport
            && (self.isResponseReported || !self.awaitsResponse)
    }

    /// Whether the advertisement is to be reported, where the scanner asks for a scan response or not.
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

    /// Whether the scan response is to be reported.
    func needsResponse(for scan: Hearing) -> Bool { !scan.omitsRepetitions || !self.isResponseReported }

    mutating func noteReport() { self.reportCount = min(self.reportCount + 1, 2) }

    mutating func noteResponse() { self.isResponseReported = true }
}

/// What a controller hears of advertising, in a form that is quick to compare.
struct Hearing: Hashable {
    private var number: UInt32

    /// It neither scans nor initiates.
    static let notListening = Hearing(number: 0)
    /// It is to be given every packet.
    static let everything = Hearing(number: 1)

    /// The scan with a number, whose host needs no repetitions.
    static func changes(_ number: UInt32) -> Hearing { Hearing(number: number) }

    /// The number behind another one, for a scan.
    static func number(after number: UInt32) -> UInt32 { number == .max ? 2 : max(number, 1) + 1 }

    /// Whether what was reported need not be reported again.
    var omitsRepetitions: Bool { self.number > 1 }
}
