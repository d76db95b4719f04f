// The trial of a controller's extended commands: the host detects by reports whether they work, and its user loses
// neither a device, nor an advertisement, nor more than a few reports.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

/// A controller, and one device around it that advertises ten times in a second.
private final class Room {
    /// The kind of a controller.
    enum Kind: CaseIterable {
        case good
        /// It also accepts legacy commands after extended ones.
        case mixing
        /// The same, but extended ones do nothing.
        case deaf
        /// It lists extended commands and refuses them.
        case refusing
    }

    static let peer = HostTestbed.peers[0]

    let testbed = HostTestbed()
    var host: LEHost { self.testbed.host }
    private let kind: Kind
    /// The PDUs in which the device advertises; `nil` if it does not.
    var device: CommandFamily?
    /// The current scan, and the commands with which a connection was requested.
    private(set) var scan: CommandFamily?
    private(set) var initiation: CommandFamily?
    private(set) var advertising: CommandFamily?
    /// The number of advertisements of the device.
    private(set) var count = 0

    init(_ kind: Kind) {
        self.kind = kind
        let controller = self.testbed.controller
        controller.features = .extendedAdvertising
        controller.listsCommands()
        controller.mixesCommandFamilies = kind != .good
        if kind == .refusing { controller.refused[LESetExtendedScanParameters.opcode] = .commandDisallowed }
        controller.whenCommanded = { [unowned self] in self.receive($1, $0) }
        self.testbed.start()
    }

    private func receive(_ opcode: HCIOpcode, _ controller: ScriptedController) {
        let isEnabling = controller.parameters[opcode]?.readableBytesView.first == 1
        switch opcode {
        case LESetScanEnable.opcode: self.scan = isEnabling ? .legacy : nil
        case LESetExtendedScanEnable.opcode: self.scan = isEnabling ? .extended : nil
        case LESetAdvertisingEnable.opcode: self.advertising = isEnabling ? .legacy : nil
        case LESetExtendedAdvertisingEnable.opcode: self.advertising = isEnabling ? .extended : nil
        case LECreateConnection.opcode: self.initiation = .legacy
        case LEExtendedCreateConnection.opcode: self.initiation = .extended
        default: break
        }
    }

    /// Returns the number of reports that the user gets meanwhile.
    @discardableResult
    func pass(_ time: TimeAmount) -> Int {
        let before = self.testbed.delegate.reports.count
        for _ in 0..<(time.nanoseconds / TimeAmount.milliseconds(100).nanoseconds) {
            self.testbed.run(.milliseconds(100))
            self.advertise()
        }
        return self.testbed.delegate.reports.count - before
    }

    private func advertise() {
        guard let device = self.device else { return }
        self.count += 1
        switch self.scan {
        case .legacy where device == .legacy: self.testbed.report(Self.peer)
        case .extended where self.kind != .deaf:
            let report = LEExtendedAdvertisingReport(
                eventType: device == .legacy ? [.legacy, .connectable, .scannable] : .connectable,
                address: Self.peer,
                rssi: -40,
                data: hex("02 01 06")
            )
            self.testbed.deliver(LEExtendedAdvertisingReports([report]).packet())
        default: break
        }
    }
}

@Suite("LEHost: extended commands that are tried out")
struct LEHostExtendedCommandsTests {
    @Test("loses few reports of a scan on any controller, and none on a good one", arguments: Room.Kind.allCases)
    private func reports(kind: Room.Kind) {
        let room = Room(kind)
        room.device = .legacy
        room.host.startScanning(ScanParameters())
        let reports = room.pass(.seconds(60))
        #expect(reports >= room.count - (kind == .deaf ? 22 : 1), "\(reports) of \(room.count)")
        #expect(room.scan == (kind == .good || kind == .mixing ? .extended : .legacy))
        #expect(room.host.hasExtendedAdvertising == (kind == .good || kind == .mixing))
        room.host.stopScanning()
        room.pass(.seconds(1))
        room.host.startScanning(ScanParameters())
        #expect(room.pass(.seconds(10)) >= 99, "once it is known which commands work, nothing is lost")
    }

    @Test("does not touch the scan of a good controller where nobody advertises")
    func silence() {
        let room = Room(.good)
        room.host.startScanning(ScanParameters())
        room.pass(.seconds(60))
        #expect(
            room.testbed.controller.takeCommands()
                == [LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode]
        )
    }

    @Test("starts no legacy scan on a controller that accepts both if an extended one hears a device immediately")
    func unmixed() {
        let room = Room(.mixing)
        room.device = .extended
        room.host.startScanning(ScanParameters())
        room.pass(.seconds(60))
        #expect(!room.testbed.controller.takeCommands().contains(LESetScanEnable.opcode))
    }

    @Test(
        "hears a device that appears after a long silence within a turn or two, and keeps hearing it",
        arguments: [Room.Kind.mixing, .deaf],
        [CommandFamily.legacy, .extended]
    )
    private func arrival(kind: Room.Kind, device: CommandFamily) {
        guard kind == .mixing || device == .legacy else { return }
        for wait in 0..<21 {
            let room = Room(kind)
            room.host.startScanning(ScanParameters())
            room.pass(.seconds(300))
            room.pass(.milliseconds(Int64(100 * wait)))
            room.device = device
            #expect(room.pass(.milliseconds(1_200)) > 0)
            #expect(room.pass(.seconds(60)) >= 580)
            #expect(room.host.hasExtendedAdvertising == (kind == .mixing))
        }
    }

    @Test("completes the trial in many short scans, too")
    func shortScans() {
        let room = Room(.deaf)
        room.device = .legacy
        for _ in 0..<20 {
            room.host.startScanning(ScanParameters())
            room.pass(.milliseconds(300))
            room.host.stopScanning()
            room.pass(.milliseconds(300))
        }
        #expect(!room.host.hasExtendedAdvertising)
    }

    @Test("advertises with commands that are certain to work, or with those that the controller accepts")
    func advertising() {
        for (kind, family) in [
            (Room.Kind.good, CommandFamily.extended), (.mixing, .legacy), (.deaf, .legacy), (.refusing, .legacy),
        ] {
            let room = Room(kind)
            var isStarted = false
            room.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) {
                if case .success = $0 { isStarted = true }
            }
            room.pass(.seconds(1))
            #expect(isStarted && room.advertising == family)
        }
        // A controller that refuses the other kind only for advertising.
        let room = Room(.mixing)
        room.testbed.controller.refused[LESetAdvertisingParameters.opcode] = .commandDisallowed
        room.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
        room.pass(.seconds(1))
        #expect(room.advertising == .extended)
    }

    @Test("ends advertising with the commands with which it began, though others are used by then")
    func advertisingEnds() {
        let room = Room(.mixing)
        room.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
        room.device = .legacy
        room.host.startScanning(ScanParameters())
        room.pass(.seconds(1))
        room.testbed.forget()
        room.host.stopAdvertising()
        room.pass(.seconds(1))
        #expect(room.testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
        room.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
        room.pass(.seconds(1))
        #expect(room.advertising == .extended)
    }

    @Test("scans with the other commands if those of a turn are refused", arguments: [true, false])
    func refusedTurn(isEnable: Bool) {
        let room = Room(.mixing)
        room.device = .legacy
        let extended = isEnable ? LESetExtendedScanEnable.opcode : LESetExtendedScanParameters.opcode
        room.testbed.controller.refused[extended] = .commandDisallowed
        room.host.startScanning(ScanParameters())
        #expect(room.pass(.seconds(10)) >= 95)
        // As after the end of the link for which it refused them.
        room.testbed.controller.refused = [:]
        room.pass(.seconds(3))
        #expect(room.scan == .extended && room.host.hasExtendedAdvertising)
    }

    @Test("hears a device before it connects to it during the trial")
    func connecting() {
        for (kind, device, family) in [
            (Room.Kind.mixing, CommandFamily.legacy, CommandFamily.extended), (.mixing, .extended, .extended),
            (.deaf, .legacy, .legacy),
        ] {
            let room = Room(kind)
            room.host.connect(to: Room.peer)
            room.pass(.seconds(30))
            #expect(room.initiation == nil && room.testbed.delegate.reports.isEmpty)
            room.device = device
            room.pass(.milliseconds(2_200))
            #expect(room.initiation == family)
        }
        for (kind, family) in [(Room.Kind.good, CommandFamily.extended), (.refusing, .legacy)] {
            let room = Room(kind)
            room.host.connect(to: Room.peer)
            room.pass(.milliseconds(100))
            #expect(room.initiation == family && room.scan == nil)
        }
    }

    @Test("skips the trial if the configuration says which commands to use")
    func override() {
        for (isUsed, family) in [(true, CommandFamily.extended), (false, .legacy)] {
            let testbed = HostTestbed(LEHostConfiguration(usesExtendedAdvertising: isUsed))
            testbed.controller.features = .extendedAdvertising
            testbed.controller.listsCommands()
            testbed.controller.mixesCommandFamilies = true
            testbed.host.attach(to: testbed.controller)
            testbed.run()
            let commands = testbed.controller.takeCommands()
            #expect(
                commands.allSatisfy { $0 != LESetScanParameters.opcode && $0 != LESetExtendedScanParameters.opcode }
            )
            #expect(testbed.host.radio.extendedCommands.forAdvertising[0] == family)
        }
    }

    @Test("sends no extended command to a chip without firmware")
    func firmware() {
        let testbed = HostTestbed.started {
            $0.features = .extendedAdvertising
            $0.listsCommands()
            $0.version.company = 0x005D
            $0.version.linkLayerSubversion = 0x8761
        }
        #expect(!testbed.host.hasExtendedAdvertising)
    }
}
