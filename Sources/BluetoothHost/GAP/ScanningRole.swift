// Scanning: the requests of the user and the initiator, and the commands of `Scanner` for the controller. The extended
// ones also receive extended PDUs and LE Coded.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The radio's scanner.
final class ScanningRole {
    private typealias Completion = (LEHostError?) -> Void

    @exclusivity(unchecked) unowned var radio: HostRadio!
    @exclusivity(unchecked) private var scanner = Scanner()
    /// The commands with which the controller scans, or did last.
    private var family = CommandFamily.legacy
    private var reassembler = AdvertisingReassembler()
    /// The advertising reports that the user needs, for a channel that can omit others.
    var reportNeed = AdvertisingReportNeed.all {
        didSet { if self.reportNeed != oldValue { self.updateReportNeed() } }
    }

    // MARK: For the user

    /// Starts or restarts scanning.
    func start(_ parameters: ScanParameters) {
        self.scanner.start(parameters)
        self.radio.loop.scheduleTurn()
    }

    /// Stops scanning.
    func stop() {
        self.scanner.stop()
        self.radio.loop.scheduleTurn()
    }

    /// A pending connection has to hear its device even if it has been reported before.
    func updateReportNeed() {
        guard let channel = self.radio.controller.channel as? any ReportOmittingChannel else { return }
        channel.setReportNeed(self.scanner.isNeededByInitiator ? .all : self.reportNeed)
    }

    // MARK: For the radio

    var isWanted: Bool { self.scanner.isWanted }
    var isNeeded: Bool { self.scanner.isNeeded }
    var isOff: Bool { self.scanner.isOff }
    var wantedRole: RadioRoles { self.scanner.wantedRole }
    var usedRole: RadioRoles { self.scanner.usedRole }
    var userRole: RadioRoles { self.scanner.userRole }

    /// Holds or releases scanning.
    func setHeld(_ isHeld: Bool) { self.scanner.isHeld = isHeld }

    /// Sets whether the initiator has to hear devices.
    func setNeededByInitiator(_ isNeeded: Bool) {
        guard self.scanner.isNeededByInitiator != isNeeded else { return }
        self.scanner.setNeededByInitiator(isNeeded)
        self.updateReportNeed()
    }

    /// A link has begun or ended.
    func linksChanged() { self.scanner.linksChanged() }

    /// Restarts the scan with the same parameters.
    func restart() { self.scanner.restart() }

    /// The complete advertisement of a report, once all its fragments have arrived.
    func reassemble(_ report: LEExtendedAdvertisingReport) -> LEExtendedAdvertisingReport? {
        self.reassembler.receive(report, now: self.radio.loop.now)
    }

    /// Sends the next command, if one is due.
    func proceed() { if let step = self.scanner.next() { self.perform(step) } }

    /// The controller was reset or lost.
    func reset() {
        self.scanner.reset()
        self.reassembler.reset()
    }

    // MARK: Commands

    private func perform(_ step: Scanner.Step) {
        let next: Completion = { [unowned self] in self.completed(step, $0) }
        switch step {
        case .setParameters(let parameters):
            self.radio.extendedCommands.forScanning.tryInOrder { [unowned self] in
                self.set(parameters, by: $0, then: $1)
            } completion: { [unowned self] failure, family in
                self.family = family
                next(failure)
            }
        case .enable(let parameters):
            // The controller has accepted the parameters of this kind of command.
            let family = self.family
            let families = [family] + self.radio.extendedCommands.forScanning.filter { $0 != family }
            families.tryInOrder { [unowned self] tried, completion in
                let enable = { [unowned self] in self.enable(parameters, by: tried, then: completion) }
                if tried == family { return enable() }
                self.set(parameters, by: tried) { if $0 == nil { enable() } else { completion($0) } }
            } completion: { [unowned self] failure, family in
                self.family = family
                if failure == nil { self.radio.extendedCommands.scanBegan(by: family, now: self.radio.loop.now) }
                next(failure)
            }
        case .disable:
            let ended: Completion = { [unowned self] failure in
                self.reassembler.reset()
                self.radio.extendedCommands.scanEnded(now: self.radio.loop.now)
                next(failure)
            }
            switch self.family {
            case .legacy: self.radio.controller.send(LESetScanEnable(isEnabled: false), then: ended)
            case .extended: self.radio.controller.send(LESetExtendedScanEnable(isEnabled: false), then: ended)
            }
        }
    }

    private func completed(_ step: Scanner.Step, _ failure: LEHostError?) {
        var isExcluded = false
        if let failure, case .refused(let status) = failure {
            switch step {
            case .setParameters(let parameters), .enable(let parameters):
                isExcluded = self.radio.noteRefusal(Scanner.role(of: parameters), of: .scanning, status)
            case .disable: break
            }
            if !isExcluded { self.radio.log.warning("scanning was not changed: \(failure)") }
        }
        let next = self.scanner.completed(failure?.status ?? .success, isExcluded: isExcluded)
        if let next { self.perform(next) }
    }

    private func set(_ parameters: ScanParameters, by family: CommandFamily, then completion: @escaping Completion) {
        let own = self.radio.addresses.ownType
        let controller = self.radio.controller
        switch family {
        case .legacy: controller.send(LESetScanParameters(parameters, own), then: completion)
        case .extended:
            let command = LESetExtendedScanParameters(parameters, own, on: controller.information.features)
            controller.send(command, then: completion)
        }
    }

    private func enable(_ parameters: ScanParameters, by family: CommandFamily, then completion: @escaping Completion) {
        let filter: DuplicateFilter = parameters.filtersDuplicates ? .on : .off
        let controller = self.radio.controller
        switch family {
        case .legacy: controller.send(LESetScanEnable(isEnabled: true, filterDuplicates: filter), then: completion)
        case .extended:
            controller.send(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: filter), then: completion)
        }
    }
}

extension LESetScanParameters {
    /// The legacy command for a scan.
    init(_ parameters: ScanParameters, _ ownAddressType: OwnAddressType) {
        self.init(
            type: parameters.isActive ? .active : .passive,
            interval: ScanInterval(parameters.interval),
            window: ScanInterval(min(parameters.window, parameters.interval)),
            ownAddressType: ownAddressType
        )
    }
}

extension LESetExtendedScanParameters {
    /// The extended command for a scan: the same on each PHY, among which the controller divides its time. Without LE
    /// Coded, the controller scans on LE 1M whatever was requested.
    init(_ parameters: ScanParameters, _ ownAddressType: OwnAddressType, on features: LEFeatures) {
        let channel = PHYParameters(
            type: parameters.isActive ? .active : .passive,
            interval: ExtendedScanInterval(parameters.interval),
            window: ExtendedScanInterval(min(parameters.window, parameters.interval))
        )
        let available: PHYSet = features.contains(.phyCoded) ? [.le1M, .leCoded] : .le1M
        let wanted = available.intersection(parameters.phys ?? available)
        let phys = wanted.isEmpty ? .le1M : wanted
        self.init(
            ownAddressType: ownAddressType,
            le1M: phys.contains(PHY.le1M) ? channel : nil,
            leCoded: phys.contains(PHY.leCoded) ? channel : nil
        )
    }
}
