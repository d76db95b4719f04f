// Hosts on controllers that cannot do everything at the same time: no request of the user is lost, and none waits
// forever.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

/// A controller that refuses combinations of roles, and the devices around it.
private final class LimitedRadio {
    /// Two roles that may exclude each other, with their bits of LE states.
    static let pairs: [(roles: RadioRoles, bits: [UInt64])] = [
        ([.connectableAdvertising, .scanning], [10, 14]), ([.connectableAdvertising, .initiating], [32]),
        ([.connectableAdvertising, .central], [35]), ([.connectableAdvertising, .peripheral], [38]),
        ([.scanning, .initiating], [22, 23]), ([.scanning, .central], [24, 25]), ([.scanning, .peripheral], [26, 27]),
        ([.initiating, .central], [28]), ([.initiating, .peripheral], [41]),
    ]

    let testbed = HostTestbed()
    var host: LEHost { self.testbed.host }
    let peer = HostTestbed.peers[0]
    let excluded: [RadioRoles]
    /// The current roles; a scan of either kind counts as both here.
    private(set) var roles: RadioRoles = []
    private(set) var refusalCount = 0
    private var commandCount = 0
    private var starts = 0
    /// Whether the device to connect to is present.
    private var peerIsThere = false

    /// - Parameters:
    ///   - excluded: The combinations that it refuses.
    ///   - states: The combinations that it claims.
    init(_ excluded: [RadioRoles], states: LEStates) {
        self.excluded = excluded
        self.testbed.controller.states = states
        self.testbed.controller.whenCommanded = { [unowned self] in self.receive($1, $0) }
        self.testbed.start()
    }

    private func receive(_ opcode: HCIOpcode, _ controller: ScriptedController) {
        self.commandCount += 1
        let isEnabling = controller.parameters[opcode]?.readableBytesView.first == 1
        let role: RadioRoles
        switch opcode {
        case LESetAdvertisingEnable.opcode: role = .connectableAdvertising
        case LESetScanEnable.opcode: role = .scanning
        case LECreateConnection.opcode: role = .initiating
        case LECreateConnectionCancel.opcode:
            self.roles.subtract(.initiating)
            controller.failConnection(.unknownConnectionIdentifier)
            return
        default: return
        }
        guard isEnabling || role == .initiating else { return self.roles.subtract(role) }
        let isRefused = self.excluded.contains(where: self.roles.union(role).isSuperset(of:))
        controller.refused[opcode] = isRefused ? .commandDisallowed : nil
        if isRefused { self.refusalCount += 1 } else { self.roles.formUnion(role) }
    }

    /// The user advertises, scans and connects.
    func wantEverything() {
        self.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { result in
            if case .success = result { self.starts += 1 }
        }
        self.host.startScanning(ScanParameters())
        self.host.connect(to: self.peer)
    }

    /// Lets time pass; returns the percentage during which the controller had each role.
    func run(_ seconds: Int) -> (advertising: Int, scanning: Int, initiating: Int) {
        var (advertising, scanning, initiating) = (0, 0, 0)
        for _ in 0..<(seconds * 4) {
            self.testbed.run(.milliseconds(250))
            if self.roles.contains(.connectableAdvertising) { advertising += 1 }
            if self.roles.contains(.scanning) {
                scanning += 1
                if self.peerIsThere { self.testbed.report(self.peer) }
            }
            if self.roles.contains(.initiating) {
                initiating += 1
                if self.peerIsThere { self.link(.central) }
            }
        }
        let all = seconds * 4
        return (100 * advertising / all, 100 * scanning / all, 100 * initiating / all)
    }

    /// Opens a link in a role, which ends the initiating or the advertising.
    private func link(_ role: ConnectionRole) {
        self.roles.subtract(role == .central ? .initiating : .connectableAdvertising)
        self.roles.formUnion(role == .central ? .central : .peripheral)
        let peer = role == .central ? self.peer : HostTestbed.peers[1]
        self.testbed.controller.connect(role == .central ? 0x40 : 0x41, peer: peer, role: role)
        self.testbed.run()
    }

    /// The device to connect to appears; returns whether it was connected within some turns.
    func peerAppears() -> Bool {
        self.peerIsThere = true
        for _ in 0..<20 where !self.roles.contains(.central) { _ = self.run(1) }
        self.peerIsThere = false
        return self.host.links.contains { $0.isCentral }
    }

    /// A central appears; returns whether it connected within some turns.
    func centralAppears() -> Bool {
        for _ in 0..<10 {
            if self.roles.contains(.connectableAdvertising) {
                self.link(.peripheral)
                return true
            }
            _ = self.run(1)
        }
        return false
    }

    func linksEnd() {
        if self.roles.contains(.central) { self.testbed.controller.disconnect(0x40, reason: .remoteUserTerminated) }
        if self.roles.contains(.peripheral) { self.testbed.controller.disconnect(0x41, reason: .remoteUserTerminated) }
        self.roles.subtract(.links)
        self.testbed.run()
    }

    /// Whether a role is possible beside the links.
    func isPossible(_ role: RadioRoles) -> Bool {
        let roles = self.roles.intersection(.links).union(role)
        return !self.excluded.contains(where: roles.isSuperset(of:))
    }

    /// Checks that each wanted role gets its time, unless links exclude it.
    func check(_ seconds: Int, wants connects: Bool) {
        let before = self.commandCount
        let shares = self.run(seconds)
        if self.isPossible(.connectableAdvertising) { #expect(shares.advertising >= 24, "\(shares)") }
        if self.isPossible(.scanning) { #expect(shares.scanning >= 24, "\(shares)") }
        if !connects { #expect(shares.initiating == 0) }
        #expect(self.commandCount - before < 12 * seconds, "a turn is a second or more")
    }

    func checkAll() {
        self.wantEverything()
        _ = self.run(3)
        self.check(15, wants: true)
        #expect(self.starts == 1)
        #expect(self.peerAppears(), "it connects to a device that appears")
        self.check(10, wants: false)
        self.linksEnd()
        self.check(10, wants: false)
        #expect(self.centralAppears(), "a central hears it")
        self.check(10, wants: false)
        self.linksEnd()
        self.check(10, wants: false)
        #expect(self.starts == 1 && self.host.radio.advertising.isWanted && self.host.radio.scanning.isWanted)
        #expect(self.refusalCount <= 24, "no combination is tried twice unless links begin or end")
        #expect(!self.testbed.delegate.lines.contains { $0.hasPrefix("failed") })
    }
}

@Suite("LEHost: one radio for all roles")
struct LEHostRadioTests {
    /// The exclusions: two roles (three bits), and a role and a link (three more).
    ///
    /// A link as the central and one as the peripheral never exist together here, and knowledge gained beside a link is
    /// forgotten with it. So each kind of link meets all exclusions beside it; for the other kind the roles are shifted
    /// by one.
    @Test(
        "loses and starves no role, whichever pairs of roles a controller refuses, and whether it reports that or not",
        arguments: 0..<64
    )
    func everyPair(combination: Int) {
        let choices = [[0], [1], [4], [2, 6], [5, 8], [7, 3]]
        let chosen = choices.indices.filter { combination >> $0 & 1 == 1 }
        let refused = chosen.flatMap { choices[$0] }.map { LimitedRadio.pairs[$0] }
        let bits = refused.flatMap(\.bits).reduce(UInt64(0)) { $0 | UInt64(1) << $1 }
        for states in [LEStates(), LEStates(rawValue: LEStates.all.rawValue & ~bits)] {
            LimitedRadio(refused.map(\.roles), states: states).checkAll()
        }
    }

    @Test(
        "loses and starves no role if a controller refuses three roles at once, or claims pairs that it refuses",
        arguments: [
            [[.connectableAdvertising, .scanning, .initiating]], [[.connectableAdvertising, .scanning, .central]],
            [[.connectableAdvertising, .scanning, .initiating], [.scanning, .initiating]],
            [[.connectableAdvertising, .scanning, .peripheral], [.initiating, .central]],
        ] as [[RadioRoles]]
    )
    func threeRoles(excluded: [RadioRoles]) {
        LimitedRadio(excluded, states: .all).checkAll()
    }

    @Test("does not take a refusal to disable for the refusal of a combination", arguments: [true, false])
    func refusedDisable(hasLink: Bool) {
        let testbed = HostTestbed.started()
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.host.startScanning(ScanParameters())
        if hasLink { testbed.connect(0x40, HostTestbed.peers[0]) }
        testbed.run()
        testbed.controller.refused[LESetAdvertisingEnable.opcode] = .commandDisallowed
        testbed.host.stopAdvertising()
        testbed.run()
        #expect(testbed.host.radio.advertising.isOff && !testbed.host.radio.scanning.isOff)
        testbed.controller.refused = [:]
        testbed.forget()
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.run(.seconds(5))
        let commands = testbed.controller.takeCommands()
        #expect(commands.last == LESetAdvertisingEnable.opcode && !commands.contains(LESetScanEnable.opcode))
    }

    @Test("gives a scan its time beside a connection to an absent device", arguments: [true, false])
    func absentDevice(saysSo: Bool) {
        let states = LEStates(rawValue: 0x3FF_FF3F_FFFF)
        let radio = LimitedRadio([[.scanning, .initiating]], states: saysSo ? states : .all)
        radio.host.startScanning(ScanParameters())
        radio.host.connect(to: radio.peer)
        #expect(radio.run(20).scanning >= 95)
        #expect(radio.peerAppears())
        #expect(radio.run(5).scanning >= 95)
    }
}
