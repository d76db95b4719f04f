// What several managers advertise together when their permissions have changed while the adapter was switched off.

import BluetoothHost
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("11.3 Permissions to advertise that changed while the adapter was off")
struct SharedAdvertisingPermissionsTests {
    private typealias Shared = SharedAdvertising<String>

    private static let ball = AdvertisedContent(localName: "ball", services: [0x180D])
    private static let lock = AdvertisedContent(localName: "lock", services: [0x180F])
    private static let hiddenBall = AdvertisedContent(overflowServices: [0x180D])

    /// Two managers that advertised everything when their adapter was switched off.
    private func stopped() -> Shared {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        _ = shared.start(Self.lock, for: "b", under: .everything)
        _ = shared.answered(.success(()), number: 2)
        shared.adapterStopped(isReset: false)
        return shared
    }

    @Test("permissions that have not changed ask for nothing, and what was paused goes on")
    func unchanged() {
        var shared = self.stopped()
        #expect(shared.renewPermissions { _ in .everything } == [])
        let both = AdvertisedContent(localName: "ball", services: [0x180D, 0x180F])
        #expect(shared.adapterStarted() == [.advertise(both, interval: .milliseconds(100), number: 3)])
    }

    @Test("what is advertised is what each manager may advertise now")
    func changed() {
        var shared = self.stopped()
        let mixed = AdvertisedContent(localName: "lock", services: [0x180F], overflowServices: [0x180D])
        #expect(
            shared.renewPermissions { $0 == "a" ? .background : .everything }
                == [.advertise(mixed, interval: .milliseconds(100), number: 3)]
        )
        #expect(shared.adapterStarted() == [])
        #expect(shared.answered(.success(()), number: 3) == [])
        // Once more nothing has changed.
        #expect(shared.renewPermissions { $0 == "a" ? .background : .everything } == [])
    }

    @Test("managers that may advertise nothing any more are silent, and advertise again later")
    func nothing() {
        var shared = self.stopped()
        #expect(shared.renewPermissions { _ in .nothing } == [.stop])
        #expect(shared.adapterStarted() == [.stop])
        #expect(
            shared.changePermission(to: .background) { $0 == "a" }
                == [.advertise(Self.hiddenBall, interval: .microseconds(1_022_500), number: 3)]
        )
    }

    @Test("a manager that could advertise nothing before is reported as advertising once it may")
    func awaited() {
        var shared = Shared()
        #expect(shared.start(Self.ball, for: "a", under: .nothing) == [.stop])
        shared.adapterStopped(isReset: false)
        #expect(
            shared.renewPermissions { _ in .everything }
                == [.advertise(Self.ball, interval: .milliseconds(100), number: 1)]
        )
        #expect(shared.answered(.success(()), number: 1) == [.started("a")])
    }

    @Test("what was asked for while the adapter was off is asked for anew where the permission has changed since")
    func askedMeanwhile() {
        var shared = self.stopped()
        #expect(shared.stop("b") == [.advertise(Self.ball, interval: .milliseconds(100), number: 3)])
        #expect(
            shared.renewPermissions { _ in .background }
                == [.advertise(Self.hiddenBall, interval: .microseconds(1_022_500), number: 4)]
        )
        #expect(shared.answered(.success(()), number: 3) == [])
        #expect(shared.adapterStarted() == [])
    }
}
