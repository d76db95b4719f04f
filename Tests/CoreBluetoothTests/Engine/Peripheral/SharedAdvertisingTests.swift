import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("11.3 Advertising of several managers")
struct SharedAdvertisingTests {
    private typealias Shared = SharedAdvertising<String>

    private static let ball = AdvertisedContent(localName: "ball", services: [0x180D])

    private static let lock = AdvertisedContent(localName: "lock", services: [0x180F])

    private static let both = AdvertisedContent(localName: "ball", services: [0x180D, 0x180F])
    private static let hiddenBall = AdvertisedContent(overflowServices: [0x180D])
    private static let refusal = LEHostError.refused(.commandDisallowed)

    private func advertise(
        _ content: AdvertisedContent,
        inBackground: Bool = false,
        number: Int
    ) -> Shared.Action {
        let interval = inBackground ? AdvertisedContent.backgroundInterval : AdvertisingParameters.defaultInterval
        return .advertise(content, interval: interval, number: number)
    }

    /// One manager that advertises.
    private func advertising(
        _ manager: String = "a",
        _ content: AdvertisedContent = ball,
        under permission: ManagerPermission = .everything
    ) -> Shared {
        var shared = Shared()
        _ = shared.start(content, for: manager, under: permission)
        _ = shared.answered(.success(()), number: 1)
        return shared
    }

    @Test("reports that a manager advertises when the host has accepted, once")
    func start() {
        var shared = Shared()
        #expect(shared.content(of: "a") == nil)
        #expect(shared.start(Self.ball, for: "a", under: .everything) == [self.advertise(Self.ball, number: 1)])
        #expect(shared.content(of: "a") == Self.ball)
        #expect(shared.answered(.success(()), number: 1) == [.started("a")])
        #expect(shared.answered(.success(()), number: 1) == [])
        #expect(shared.start(Self.lock, for: "a", under: .everything) == [.alreadyAdvertising("a")])
        #expect(shared.content(of: "a") == Self.ball)
    }

    @Test("shares the packet: all services, and the name of the first manager that has one")
    func share() {
        var shared = self.advertising()
        #expect(shared.start(Self.lock, for: "b", under: .everything) == [self.advertise(Self.both, number: 2)])
        #expect(shared.answered(.success(()), number: 2) == [.started("b")])
        #expect(shared.stop("a") == [self.advertise(Self.lock, number: 3)])
        #expect(shared.answered(.success(()), number: 3) == [])
        #expect(shared.stop("b") == [.stop] && shared.stop("b") == [])
        var unnamed = self.advertising("a", AdvertisedContent(services: [0x180D]))
        let named = AdvertisedContent(localName: "lock", services: [0x180D, 0x180F])
        #expect(unnamed.start(Self.lock, for: "b", under: .everything) == [self.advertise(named, number: 2)])
    }

    @Test("ignores the answer to an earlier question, and of a manager that has stopped")
    func overtaken() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        _ = shared.start(Self.lock, for: "b", under: .everything)
        #expect(shared.answered(.success(()), number: 1) == [])
        #expect(shared.answered(.success(()), number: 2) == [.started("a"), .started("b")])
        var stopped = Shared()
        _ = stopped.start(Self.ball, for: "a", under: .everything)
        #expect(stopped.stop("a") == [.stop])
        #expect(stopped.answered(.success(()), number: 1) == [])
        #expect(stopped.answered(.failure(Self.refusal), number: 1) == [])
    }

    @Test("drops the managers that wait for a refused packet, and keeps those that advertised")
    func refused() {
        var shared = self.advertising()
        _ = shared.start(Self.lock, for: "b", under: .everything)
        #expect(
            shared.answered(.failure(Self.refusal), number: 2)
                == [.refused("b", Self.refusal), self.advertise(Self.ball, number: 3)]
        )
        #expect(shared.content(of: "b") == nil)
        #expect(shared.answered(.failure(Self.refusal), number: 3) == [])
        #expect(shared.content(of: "a") == Self.ball)
        #expect(shared.adapterStarted() == [self.advertise(Self.ball, number: 4)])
    }

    @Test("reports only the failure of advertising that an earlier process began")
    func restored() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything, isRestored: true)
        #expect(shared.answered(.success(()), number: 1) == [])
        var refused = Shared()
        _ = refused.start(Self.ball, for: "a", under: .everything, isRestored: true)
        #expect(
            refused.answered(.failure(Self.refusal), number: 1) == [
                .refused("a", Self.refusal)
            ]
        )
    }

    @Test("hides services of the background in the overflow area, and suspends a manager that may not advertise")
    func permissions() {
        var shared = self.advertising()
        #expect(
            shared.changePermission(to: .background) { $0 == "a" }
                == [self.advertise(Self.hiddenBall, inBackground: true, number: 2)]
        )
        #expect(shared.answered(.success(()), number: 2) == [])
        // One app in the foreground is enough for the short interval.
        let mixed = AdvertisedContent(localName: "lock", services: [0x180F], overflowServices: [0x180D])
        #expect(shared.start(Self.lock, for: "b", under: .everything) == [self.advertise(mixed, number: 3)])
        #expect(shared.changePermission(to: .background) { $0 == "c" } == [])
        #expect(shared.changePermission(to: .nothing) { _ in true } == [.stop])
        #expect(shared.content(of: "a") == Self.ball)
        var waiting = Shared()
        #expect(waiting.start(Self.ball, for: "a", under: .nothing) == [.stop])
        _ = waiting.start(Self.lock, for: "b", under: .everything)
        #expect(waiting.answered(.success(()), number: 1) == [.started("b")])
        #expect(waiting.changePermission(to: .everything) { $0 == "a" } == [self.advertise(Self.both, number: 2)])
        #expect(waiting.answered(.success(()), number: 2) == [.started("a")])
    }

    @Test("B5 continues after the adapter was off, and reports only an answer that is awaited")
    func adapterSwitchedOff() {
        var shared = self.advertising()
        _ = shared.start(Self.lock, for: "b", under: .everything)
        shared.adapterStopped(isReset: false)
        #expect(shared.content(of: "a") == Self.ball)
        #expect(shared.answered(.success(()), number: 2) == [])
        #expect(shared.adapterStarted() == [self.advertise(Self.both, number: 3)])
        #expect(shared.adapterStarted() == [])
        #expect(shared.answered(.success(()), number: 3) == [.started("b")])
    }

    @Test("reports the end of what was advertised, and nothing while a question is open or the host is off")
    func ended() {
        let error = LEHostError.refused(.commandDisallowed)
        var shared = self.advertising()
        #expect(shared.ended(error) == [.refused("a", error)])
        #expect(shared.content(of: "a") == nil && shared.ended(error) == [])
        _ = shared.start(Self.lock, for: "b", under: .everything)
        #expect(shared.ended(error) == [])
        #expect(shared.answered(.success(()), number: 2) == [.started("b")])
    }

    @Test("B5 forgets everything when the adapter was reset")
    func adapterStopped() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        shared.adapterStopped(isReset: true)
        #expect(shared.adapterStarted() == [])
        #expect(shared.content(of: "a") == nil)
        #expect(shared.answered(.success(()), number: 1) == [])
        #expect(shared.stop("a") == [])
    }

    @Test("applies permissions that changed while the adapter was off, once")
    func renewed() {
        func stopped() -> Shared {
            var shared = self.advertising()
            _ = shared.start(Self.lock, for: "b", under: .everything)
            _ = shared.answered(.success(()), number: 2)
            shared.adapterStopped(isReset: false)
            return shared
        }
        var unchanged = stopped()
        #expect(unchanged.renewPermissions { _ in .everything } == [])
        #expect(unchanged.adapterStarted() == [self.advertise(Self.both, number: 3)])
        var changed = stopped()
        let mixed = AdvertisedContent(localName: "lock", services: [0x180F], overflowServices: [0x180D])
        for actions in [[self.advertise(mixed, number: 3)], []] {
            #expect(changed.renewPermissions { $0 == "a" ? .background : .everything } == actions)
        }
        #expect(changed.adapterStarted() == [] && changed.answered(.success(()), number: 3) == [])
        var silent = stopped()
        #expect(silent.renewPermissions { _ in .nothing } == [.stop] && silent.adapterStarted() == [.stop])
        var awaited = Shared()
        _ = awaited.start(Self.ball, for: "a", under: .nothing)
        awaited.adapterStopped(isReset: false)
        #expect(awaited.renewPermissions { _ in .everything } == [self.advertise(Self.ball, number: 1)])
        #expect(awaited.answered(.success(()), number: 1) == [.started("a")])
    }
}
