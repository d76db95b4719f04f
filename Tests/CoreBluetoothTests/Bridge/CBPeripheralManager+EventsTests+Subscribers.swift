import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Subscribers of a peripheral manager")
struct CBPeripheralManagerSubscriberTests {
    @Test("10.5 sends an update to the named subscribers only, cut to 512 octets")
    func targets() throws {
        let setup = try PublishedEventsSetup()
        let (first, second) = (try setup.connect(setup.first), try setup.connect(setup.second))
        let unknown = try setup.connect(setup.unknown)
        #expect(setup.update() == [])
        setup.subscribe(setup.first)
        #expect(setup.update() == ["901: 3"] && setup.update(to: [first]) == ["901: 3"])
        #expect(setup.update(to: [unknown, first]) == ["901: 3"])
        #expect(setup.update(to: []) == [] && setup.update(to: [second]) == [])
        #expect(first.window.count == 3 && second.window.count == 0)
        setup.subscribe(setup.second)
        #expect(setup.update() == ["[901, 902]: 3"])
        #expect(setup.update(to: [second]) == ["[902]: 3"])
        #expect(setup.update(to: [second, first, unknown]) == ["[901, 902]: 3"])
        #expect(setup.update(to: []) == [] && setup.update(to: [unknown]) == [])
        #expect(first.window.count == 5 && second.window.count == 3 && unknown.window.count == 0)
        for count in [512, 513] { #expect(setup.update(count) == ["[901, 902]: 512"]) }
        setup.subscribe(setup.second, false)
        #expect(setup.update(513) == ["901: 512"] && setup.update(0) == ["901: 0"])
    }

    @Test("10.5 refuses an update without capacity, and reports readiness once", arguments: [1, 2])
    func readiness(count: Int) throws {
        let setup = try PublishedEventsSetup()
        let first = try setup.connect(setup.first)
        setup.subscribe(setup.first)
        let second = try setup.connect(setup.second)
        if count == 2 { setup.subscribe(setup.second) }
        setup.ball.calls = []
        setup.receive(.canSend(setup.first))
        #expect(setup.ball.calls.isEmpty)
        for _ in 0..<TransmitWindow.size { first.window.add() }
        for _ in 0..<2 { #expect(setup.update() == ["refused"]) }
        #expect(first.window.count == TransmitWindow.size && second.window.count == 0 && second.window.canSend)
        #expect(setup.manager.mustReportReadiness)
        setup.receive(.canSend(setup.unknown))
        #expect(setup.ball.calls.isEmpty && setup.manager.mustReportReadiness)
        setup.receive(.canSend(setup.second), .canSend(setup.first))
        #expect(setup.ball.calls == ["ready"] && !setup.manager.mustReportReadiness)
        setup.receive(.canSend(setup.first))
        #expect(setup.ball.calls == ["ready"])
        #expect(setup.update() == ["refused"])
        setup.receive(.centralLeft(setup.unknown))
        #expect(setup.ball.calls == ["ready"])
        setup.receive(.centralLeft(setup.first))
        #expect(setup.ball.calls == ["ready", "ready"])
        setup.receive(.centralLeft(setup.first))
        #expect(setup.ball.calls.count == 2)
        #expect(setup.update() == (count == 1 ? [] : ["[902]: 3"]))
    }

    @Test("10.4 clears the link and the window of a central that leaves, and keeps its object")
    func leaving() throws {
        let setup = try PublishedEventsSetup()
        let window = TransmitWindow()
        let first = try setup.connect(setup.first, window)
        #expect(first.link == setup.first && first.window === window && first.maximumUpdateValueLength == 97)
        setup.subscribe(setup.first)
        for _ in 0..<TransmitWindow.size { window.add() }
        setup.manager.setDesiredConnectionLatency(.medium, for: first)
        #expect(setup.commands() == ["latency 1 901"])
        setup.receive(.centralLeft(setup.first))
        #expect(first.link == nil && first.window !== window && first.window.canSend)
        #expect(setup.manager.centrals[setup.first] == nil && setup.ball.calls == ["subscribed 1"])
        setup.manager.setDesiredConnectionLatency(.low, for: first)
        #expect(setup.commands().isEmpty)
        #expect(setup.update() == [])
        #expect(setup.receive(.centralChangedMTU(setup.first, 50, ReceiveWindow())).isEmpty)
        #expect(first.maximumUpdateValueLength == 97)
        let again = try setup.connect(setup.first, mtu: 60)
        #expect(again === first && first.link == setup.first && first.maximumUpdateValueLength == 57)
        #expect(setup.update() == ["901: 3"])
        for (mtu, length) in [(23, 20), (514, 511), (515, 512), (516, 512), (517, 512)] {
            setup.receive(.centralChangedMTU(setup.first, mtu, ReceiveWindow()))
            #expect(first.maximumUpdateValueLength == length && first.description.hasSuffix(", MTU = \(mtu)>"))
        }
    }
}
