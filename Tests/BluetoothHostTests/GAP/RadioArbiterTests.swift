// The sharing of a controller's radio between roles.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Radio arbiter")
struct RadioArbiterTests {
    private let start = NIODeadline.uptimeNanoseconds(0)

    @Test(
        "derives possible pairs of roles from the bits of LE states (Vol 4, Part E, 7.8.27)",
        arguments: [
            // Real controllers: both forms of Zephyr's, Intel, and a CSR clone, whose octets were logged.
            (0x3FF_FF3F_FFFF, [.activeScanning, .initiating], false), (0x3FF_FFF3_FFFF, [.passiveScanning], true),
            (0x3FF_FF3F_FFFF, [.connectableAdvertising, .activeScanning], true),
            (0x3FF_FFFF_FFFF, [.connectableAdvertising, .activeScanning, .initiating, .central, .peripheral], true),
            (0x1F3C_00FF, [.connectableAdvertising, .activeScanning], false),
            (0x1F3C_00FF, [.connectableAdvertising, .initiating], false),
            (0x1F3C_00FF, [.connectableAdvertising, .peripheral], false),
            (0x1F3C_00FF, [.nonConnectableAdvertising, .peripheral], true),
            (0x1F3C_00FF, [.activeScanning, .central], true), (0x1F3C_00FF, [.initiating, .central], true),
            (0x1F3C_00FF, [.initiating, .peripheral], false), (0x1F3C_00FF, [.directedAdvertising, .central], false),
            // A controller that claims no state has not answered.
            (0, [.connectableAdvertising, .activeScanning, .initiating, .central, .peripheral], true),
        ] as [(UInt64, RadioRoles, Bool)]
    )
    func states(bits: UInt64, roles: RadioRoles, isPossible: Bool) {
        var arbiter = RadioArbiter()
        arbiter.setStates(LEStates(rawValue: bits))
        #expect(arbiter.allows(roles) == isPossible)
    }

    @Test(
        "gives roles that exclude each other turns of 1 to 1.75 s, and other roles the time in which they are possible"
    )
    func turns() throws {
        var arbiter = RadioArbiter()
        _ = arbiter.refuse(.initiating, beside: .connectableAdvertising)
        let wanted: RadioRoles = [.connectableAdvertising, .activeScanning, .initiating]
        var now = self.start
        var turns: [(RadioRoles, TimeAmount)] = []
        for _ in 0..<5 {
            let granted = arbiter.share(wanted, beside: [], now: now)
            let deadline = try #require(arbiter.deadline)
            #expect(arbiter.share(wanted, beside: [], now: deadline - .nanoseconds(1)) == granted)
            turns.append((granted, deadline - now))
            now = deadline
        }
        #expect(
            turns.map(\.0.rawValue)
                == (0..<5).map { turn -> RadioRoles in
                    turn % 2 == 0 ? [.activeScanning, .initiating] : [.connectableAdvertising, .activeScanning]
                }.map(\.rawValue)
        )
        #expect(turns.map(\.1) == [1_250, 1_500, 1_750, 1_000, 1_250].map { .milliseconds($0) })
    }

    @Test("gives the radio immediately to a new role if no turn is running, and otherwise lets the turn end")
    func newRole() {
        var arbiter = RadioArbiter()
        _ = arbiter.refuse(.activeScanning, beside: .connectableAdvertising)
        #expect(arbiter.share(.activeScanning, beside: [], now: self.start) == .activeScanning)
        #expect(arbiter.deadline == nil)
        let both: RadioRoles = [.activeScanning, .connectableAdvertising]
        let later = self.start + .seconds(60)
        #expect(arbiter.share(both, beside: [], now: later) == .connectableAdvertising)
        #expect(
            arbiter.share(.connectableAdvertising, beside: [], now: later + .milliseconds(10))
                == both.subtracting(.scanning)
        )
        #expect(arbiter.share(both, beside: [], now: later + .milliseconds(20)) == .connectableAdvertising)
    }

    @Test(
        "lets a role wait for a link that excludes it, without turns, and tries it again after the end of the link"
    )
    func links() {
        var arbiter = RadioArbiter()
        let waits = arbiter.refuse(.connectableAdvertising, beside: [])
        #expect(!waits, "there is nothing to wait for")
        _ = arbiter.refuse(.connectableAdvertising, beside: .peripheral)
        let wanted: RadioRoles = [.connectableAdvertising, .activeScanning]
        #expect(arbiter.share(wanted, beside: .peripheral, now: self.start) == .activeScanning)
        #expect(arbiter.deadline == nil)
        #expect(arbiter.share(wanted, beside: .central, now: self.start) == wanted)
        arbiter.linkEnded()
        #expect(arbiter.share(wanted, beside: .peripheral, now: self.start) == wanted)
    }
}
