import BluetoothHCI
import BluetoothHost
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Advertising of several managers")
struct SharedAdvertisingTests {
    private typealias Shared = SharedAdvertising<String>

    private static let ball = AdvertisedContent(localName: "ball", services: [0x180D])
    private static let lock = AdvertisedContent(localName: "lock", services: [0x180F])

    private func advertise(
        _ content: AdvertisedContent,
        inBackground: Bool = false,
        number: Int
    ) -> Shared.Action {
        let interval = inBackground ? AdvertisedContent.backgroundInterval : AdvertisedContent.interval
        return .advertise(content, interval: interval, number: number)
    }

    /// What is advertised for one manager, which has the host's first answer.
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

    @Test("a manager advertises when the host has accepted, once")
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

    @Test("two managers share the packet: all services, and the name of the first")
    func share() {
        var shared = self.advertising()
        let both = AdvertisedContent(localName: "ball", services: [0x180D, 0x180F])
        #expect(shared.start(Self.lock, for: "b", under: .everything) == [self.advertise(both, number: 2)])
        #expect(shared.answered(.success(()), number: 2) == [.started("b")])
        #expect(shared.stop("a") == [self.advertise(Self.lock, number: 3)])
        #expect(shared.answered(.success(()), number: 3) == [])
        #expect(shared.stop("b") == [.stop])
        #expect(shared.stop("b") == [])
    }

    @Test("a manager without a name leaves the name to the next one")
    func name() {
        var shared = self.advertising("a", AdvertisedContent(services: [0x180D]))
        let both = AdvertisedContent(localName: "lock", services: [0x180D, 0x180F])
        #expect(shared.start(Self.lock, for: "b", under: .everything) == [self.advertise(both, number: 2)])
    }

    @Test("the answer to an earlier question says nothing of the present packet")
    func overtaken() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        _ = shared.start(Self.lock, for: "b", under: .everything)
        #expect(shared.answered(.success(()), number: 1) == [])
        #expect(shared.answered(.success(()), number: 2) == [.started("a"), .started("b")])
    }

    @Test("a manager that stops before the answer is not reported as advertising")
    func stoppedMeanwhile() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        #expect(shared.stop("a") == [.stop])
        #expect(shared.answered(.success(()), number: 1) == [])
        #expect(shared.answered(.failure(.refused(.commandDisallowed)), number: 1) == [])
    }

    @Test("a refusal drops the managers that wait, and those that advertised go on")
    func refused() {
        var shared = self.advertising()
        _ = shared.start(Self.lock, for: "b", under: .everything)
        #expect(
            shared.answered(.failure(.refused(.commandDisallowed)), number: 2)
                == [.refused("b", .refused(.commandDisallowed)), self.advertise(Self.ball, number: 3)]
        )
        #expect(shared.content(of: "b") == nil)
        #expect(shared.answered(.failure(.refused(.commandDisallowed)), number: 3) == [])
        #expect(shared.content(of: "a") == Self.ball)
        // The host advertises nothing now, which an adapter that is ready mends.
        #expect(shared.adapterStarted() == [self.advertise(Self.ball, number: 4)])
    }

    @Test("a refusal of the only manager ends it")
    func refusedAlone() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        #expect(
            shared.answered(.failure(.refused(.commandDisallowed)), number: 1) == [
                .refused("a", .refused(.commandDisallowed))
            ]
        )
        #expect(shared.start(Self.ball, for: "a", under: .everything) == [self.advertise(Self.ball, number: 2)])
    }

    @Test("what an earlier process began goes on without a report, and is reported where it fails")
    func restored() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything, isRestored: true)
        #expect(shared.answered(.success(()), number: 1) == [])
        var refused = Shared()
        _ = refused.start(Self.ball, for: "a", under: .everything, isRestored: true)
        #expect(
            refused.answered(.failure(.refused(.commandDisallowed)), number: 1) == [
                .refused("a", .refused(.commandDisallowed))
            ]
        )
    }

    @Test("an app in the background advertises its services in the overflow area, and less often")
    func background() {
        var shared = self.advertising()
        let hidden = AdvertisedContent(overflowServices: [0x180D])
        #expect(
            shared.changePermission(to: .background) { $0 == "a" }
                == [self.advertise(hidden, inBackground: true, number: 2)]
        )
        #expect(shared.answered(.success(()), number: 2) == [])
        // One app in the foreground is enough for the short interval.
        let both = AdvertisedContent(localName: "lock", services: [0x180F], overflowServices: [0x180D])
        #expect(shared.start(Self.lock, for: "b", under: .everything) == [self.advertise(both, number: 3)])
        #expect(shared.changePermission(to: .background) { $0 == "c" } == [])
    }

    @Test("a manager that may not advertise waits until it may")
    func suspended() {
        var shared = Shared()
        #expect(shared.start(Self.ball, for: "a", under: .nothing) == [.stop])
        _ = shared.start(Self.lock, for: "b", under: .everything)
        #expect(shared.answered(.success(()), number: 1) == [.started("b")])
        let both = AdvertisedContent(localName: "ball", services: [0x180D, 0x180F])
        #expect(shared.changePermission(to: .everything) { $0 == "a" } == [self.advertise(both, number: 2)])
        #expect(shared.answered(.success(()), number: 2) == [.started("a")])
        #expect(shared.changePermission(to: .nothing) { _ in true } == [.stop])
        #expect(shared.content(of: "a") == Self.ball)
    }

    @Test("B5 an adapter that is switched off and on goes on by itself; only an answer that is awaited is reported")
    func adapterSwitchedOff() {
        var shared = self.advertising()
        _ = shared.start(Self.lock, for: "b", under: .everything)
        shared.adapterStopped(isReset: false)
        #expect(shared.content(of: "a") == Self.ball)
        #expect(shared.answered(.success(()), number: 2) == [])
        let both = AdvertisedContent(localName: "ball", services: [0x180D, 0x180F])
        #expect(shared.adapterStarted() == [self.advertise(both, number: 3)])
        #expect(shared.adapterStarted() == [])
        #expect(shared.answered(.success(()), number: 3) == [.started("b")])
    }

    @Test("B5 an adapter that was reset has forgotten everything")
    func adapterStopped() {
        var shared = Shared()
        _ = shared.start(Self.ball, for: "a", under: .everything)
        shared.adapterStopped(isReset: true)
        #expect(shared.adapterStarted() == [])
        #expect(shared.content(of: "a") == nil)
        #expect(shared.answered(.success(()), number: 1) == [])
        #expect(shared.stop("a") == [])
    }
}
