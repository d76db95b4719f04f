// An advertising set: its data, its parameters, and the timer of its events (Vol 6, Part B, 4.4.2). Legacy advertising
// is a set like the others, with legacy PDUs and parameters from the legacy commands.
//
//     configured ──LE Set (Extended) Advertising Enable──▶ enabled ──┬──▶ configured
//                                                             ▲  │   └ disable, link, duration over, maximum of events
//                                                             └──┘ each interval: one advertising event
//
// configured: `run` is nil. Parameters and data may change; extended commands may set data in fragments.
// enabled: `run` has the address in the PDUs and the limits of the run. `Air.advertise(_:)` sends each event to all
//     listeners at once.
//
// A peer ends the run by connecting, if the filter policy admits it; nothing else from peers is stored. The set's timer
// waits for the advertising interval and a random delay of up to 10 ms before each event (4.4.2.2.1), drawn from the
// controller's seeded generator.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The advertising parameters of a set.
struct AdvertisingSetParameters {
    var properties: AdvertisingEventProperties = [.legacy, .connectable, .scannable]
    var interval = TimeAmount.milliseconds(1_280)
    var ownAddressType = OwnAddressType.public
    var peer = DeviceAddress.none
    var filterPolicy = AdvertisingFilterPolicy.all
    var txPower: TransmitPower = 0
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var setIdentifier: UInt8 = 0
    var notifiesScanRequests = false

    var isLegacy: Bool { self.properties.contains(.legacy) }
    var isConnectable: Bool { self.properties.contains(.connectable) }
    var isHighDutyCycle: Bool { self.properties.contains(.highDutyCycleDirected) }
}

/// The PDUs of one advertising event, as one value.
struct AdvertisingPDU {
    var properties: AdvertisingEventProperties
    /// The advertiser; `nil` if it is anonymous.
    var address: DeviceAddress?
    /// The target of directed advertising.
    var target: DeviceAddress?
    var data: ByteBuffer
    var txPower: TransmitPower
    var primaryPHY: PHY
    var secondaryPHY: PHY
    var setIdentifier: UInt8
    /// Changes whenever any part of the PDU changes.
    var contentNumber: UInt32 = 0
    /// Counts changes of the data, as the data identifier of extended advertising does (AdvDataInfo).
    var dataIdentifier: UInt32

    var isLegacy: Bool { self.properties.contains(.legacy) }
}

/// An advertising set of a controller.
final class AdvertisingSet {
    /// The progress of an enabled set.
    struct Run {
        /// The address in its PDUs.
        var address: DeviceAddress
        /// When it expires.
        var end: NIODeadline?
        /// The number of events after which it ends; 0 for no limit.
        var maximumEvents: UInt8
        var events = 0
    }

    /// The set's handle; ``AdvertisingHandle/none`` for legacy advertising.
    let handle: AdvertisingHandle
    unowned let controller: Controller
    var parameters: AdvertisingSetParameters { didSet { self.contentNumber &+= 1 } }
    var randomAddress: DeviceAddress?
    var data = ByteBuffer() { didSet { self.renewDataIdentifier() } }
    var scanResponse = ByteBuffer() { didSet { self.renewDataIdentifier() } }
    /// Data whose last fragment is missing.
    var partialData: ByteBuffer?
    var partialScanResponse: ByteBuffer?
    private var dataIdentifier: UInt32 = 0
    private var contentNumber: UInt32 = 0
    /// The addresses in the last PDU.
    private var addresses: (own: DeviceAddress, target: DeviceAddress?)?
    /// The controllers that may hear it.
    var receivers = Receivers()
    private(set) var run: Run?
    let timer = AirTimer()

    /// Directed advertising with a high duty cycle sends at least every 3.75 ms, and ends after 1.28 s
    /// (Vol 6, Part B, 4.4.2.4.3).
    private static let highDutyCycleInterval = TimeAmount.microseconds(3_750)
    static let highDutyCycleDuration = TimeAmount.milliseconds(1_280)
    /// The maximum random delay before each event, in nanoseconds (4.4.2.2.1).
    private static let largestDelay: UInt64 = 10_000_000

    init(handle: AdvertisingHandle, controller: Controller, parameters: AdvertisingSetParameters) {
        self.handle = handle
        self.controller = controller
        self.parameters = parameters
        self.timer.action = { [unowned self] in self.timerFired() }
    }

    deinit { self.timer.cancel() }

    /// Makes duplicate filters of scanners treat the data as new.
    func renewDataIdentifier() {
        self.dataIdentifier &+= 1
        self.contentNumber &+= 1
    }

    /// Takes the receivers out, for changes in place.
    func takeReceivers() -> Receivers {
        var receivers = Receivers()
        swap(&receivers, &self.receivers)
        return receivers
    }

    var isLegacyAdvertiser: Bool { self.handle == .none }

    var isEnabled: Bool { self.run != nil }

    /// Starts advertising; the first event is immediate.
    func start(_ run: Run) {
        self.run = run
        self.controller.air.arm(self.timer, at: self.controller.now)
    }

    func stop() {
        self.run = nil
        self.timer.cancel()
    }

    private func timerFired() {
        guard var run = self.run else { return }
        let now = self.controller.now
        if let end = run.end, end <= now {
            return self.controller.advertisingEnded(self, status: .advertisingTimeout)
        }
        run.events += 1
        self.run = run
        if self.controller.air.advertise(self, run) { return }
        if run.maximumEvents > 0, run.events >= Int(run.maximumEvents) {
            return self.controller.advertisingEnded(self, status: .limitReached)
        }
        var next: NIODeadline
        if self.parameters.isHighDutyCycle {
            next = now + Self.highDutyCycleInterval
        } else {
            let delay = Int64(self.controller.generator.next() % (Self.largestDelay + 1))
            next = now + self.parameters.interval + .nanoseconds(delay)
        }
        if let end = run.end { next = min(next, end) }
        self.controller.air.arm(self.timer, at: next)
    }

    /// The PDU of an event.
    func makePDU(address: DeviceAddress, target: DeviceAddress?) -> AdvertisingPDU {
        if self.addresses.map({ $0 != (address, target) }) ?? true {
            self.addresses = (address, target)
            self.contentNumber &+= 1
        }
        let properties = self.parameters.properties
        // Directed legacy PDUs and scannable extended ones carry no data.
        let carriesData =
            properties.contains(.legacy) ? !properties.contains(.directed) : !properties.contains(.scannable)
        return AdvertisingPDU(
            properties: properties,
            address: properties.contains(.anonymous) ? nil : address,
            target: target,
            data: carriesData ? self.data : ByteBuffer(),
            txPower: self.parameters.txPower,
            primaryPHY: self.parameters.primaryPHY,
            secondaryPHY: self.parameters.secondaryPHY,
            setIdentifier: self.parameters.setIdentifier,
            contentNumber: self.contentNumber,
            dataIdentifier: self.dataIdentifier
        )
    }
}
