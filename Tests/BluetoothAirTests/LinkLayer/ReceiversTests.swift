import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Receivers of advertising")
struct ReceiversTests {
    @Test("a passive scan needs a report once; an active one twice at most, once with its response")
    func rules() {
        var passive = ReportedAdvertising()
        #expect(!passive.isComplete(1, for: .changes(2)))
        #expect(passive.needsReport(1, for: .changes(2), awaitsResponse: false) == true)
        passive.noteReport()
        #expect(passive.isComplete(1, for: .changes(2)))
        #expect(passive.needsReport(1, for: .changes(2), awaitsResponse: false) == false)
        #expect(passive.needsReport(1, for: .everything, awaitsResponse: false) == true)

        var active = ReportedAdvertising()
        for count in 1...2 {
            #expect(active.needsReport(1, for: .changes(2), awaitsResponse: true) == true, "\(count)")
            active.noteReport()
            #expect(!active.isComplete(1, for: .changes(2)), "its response is missing")
        }
        #expect(active.needsReport(1, for: .changes(2), awaitsResponse: true) == false)
        #expect(active.needsResponse(for: .changes(2)) && active.needsResponse(for: .everything))
        active.noteResponse()
        #expect(!active.needsResponse(for: .changes(2)) && active.needsResponse(for: .everything))
        #expect(active.isComplete(1, for: .changes(2)))
        #expect(!active.isComplete(2, for: .changes(2)) && !active.isComplete(1, for: .changes(3)))
    }

    private func place(_ x: Double, _ y: Double = 0) -> AirLocation { .position(AirPosition(x: x, y: y)) }

    /// Controllers at these places, on an air with a wall that affects none of them.
    private func controllers(_ places: [AirLocation]) -> (air: Air, controllers: [VirtualController]) {
        let air = Air(eventLoop: EmbeddedEventLoop())
        let controllers = places.map { place in
            let controller = air.makeController()
            controller.location = place
            return controller
        }
        air.walls = [AirWall(from: AirPosition(x: -50, y: 50), to: AirPosition(x: -49, y: 50), attenuation: 1)]
        return (air, controllers)
    }

    @Test(
        "looks receivers up again after a change near the sender, or any change for a loud one",
        arguments: [-10, 0, 10] as [Int8]
    )
    func again(power: Int8) {
        // Two near each other, and two in another cell, far away.
        let (air, controllers) = self.controllers([
            self.place(0), self.place(10), self.place(4_900), self.place(4_910),
        ])
        let isLoud = power > 0
        var receivers = Receivers()
        /// The receivers, if they are looked up now.
        func found() -> [Int] {
            receivers.entries = []
            receivers.update(for: air.controllers[0], txPower: TransmitPower(dBm: power), on: air.map, air.obstacles)
            return receivers.entries.map(\.order)
        }
        let all = isLoud ? [1, 2, 3] : [1]
        #expect(found() == all)
        #expect(found() == [], "nothing has changed")
        controllers[3].location = self.place(4_920)
        #expect(found() == (isLoud ? all : []), "something far away has changed")
        #expect(found() == [])
        controllers[1].location = self.place(20)
        #expect(found() == all)
        #expect(found() == [])
        controllers[0].location = self.place(0, 1)
        #expect(found() == all)
        #expect(found() == [])
        air.walls = []
        #expect(found() == all)
        #expect(found() == [])
    }

    @Test("a new receiver between two others has got no report of the set, though it hears the same strength")
    func between() {
        let (air, controllers) = self.controllers([
            self.place(0), self.place(4_900), self.place(10), self.place(4_900, 10),
        ])
        var receivers = Receivers()
        func update() { receivers.update(for: air.controllers[0], txPower: 0, on: air.map, air.obstacles) }
        func isComplete() -> [Bool] { receivers.entries.map { $0.reported.isComplete(1, for: .changes(5)) } }
        update()
        #expect(receivers.entries.map(\.order) == [2])
        let needsReport = receivers.entries[0].reported.needsReport(1, for: .changes(5), awaitsResponse: false)
        #expect(needsReport)
        receivers.entries[0].reported.noteReport()
        #expect(isComplete() == [true])
        controllers[1].location = self.place(0, 10)
        update()
        #expect(receivers.entries.map(\.order) == [1, 2] && receivers.entries.map(\.rssi) == [-65, -65])
        #expect(isComplete() == [false, true])
        controllers[3].location = self.place(0, -10)
        update()
        #expect(receivers.entries.map(\.order) == [1, 2, 3] && receivers.entries.map(\.rssi) == [-65, -65, -65])
        #expect(isComplete() == [false, true, false])
    }
}
