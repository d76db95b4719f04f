import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Attenuation")
struct AttenuationTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    private func at(_ x: Double, _ y: Double) -> AirPosition { AirPosition(x: x, y: y) }

    @Test("clamps attenuations to their range, and adds them up")
    func values() {
        for (value, taken) in [(-1, 0), (0, 0), (7.5, 7.5), (.infinity, .infinity), (.nan, 0)] as [(Double, Double)] {
            #expect(Attenuation.decibels(value).decibels == taken)
        }
        #expect(Attenuation.infinite + 3 == .infinite)
        #expect(3.5 + 4 == 7.5 as Attenuation)
        #expect((3 as Attenuation) < .infinite)
        #expect((3 as Attenuation).description == "3.0 dB")
    }

    @Test("weakens only signals that cross a wall, in every direction", arguments: 0..<4)
    func wall(quarterTurns: Int) {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        func at(_ x: Double, _ y: Double) -> AirPosition {
            let places = [self.at(x, y), self.at(-y, x), self.at(-x, -y), self.at(y, -x)]
            return places[quarterTurns]
        }
        advertiser.controller.location = .position(at(0, 0))
        scanner.controller.location = .position(at(10, 0))
        advertiser.advertise()
        scanner.scan()
        func strength(_ walls: AirWall...) -> RSSI? {
            testbed.air.walls = walls
            scanner.events = []
            testbed.pass(.milliseconds(150))
            return scanner.reports.last?.rssi
        }
        func wall(_ from: (Double, Double), _ to: (Double, Double), _ attenuation: Attenuation = 7) -> AirWall {
            AirWall(from: at(from.0, from.1), to: at(to.0, to.1), attenuation: attenuation)
        }
        #expect(strength() == -65)
        #expect(strength(wall((5, -1), (5, 1))) == -72)
        #expect(strength(wall((-1, -1), (11, 1))) == -72, "askew, longer than the way")
        #expect(strength(wall((12, -10), (9, 1))) == -72, "askew, with its middle behind the receiver")
        #expect(strength(wall((12, -1), (9, 9))) == -65, "askew, past the receiver")
        #expect(strength(wall((0, -1), (0, 1))) == -72, "at the sender")
        #expect(strength(wall((10, -1), (10, 1))) == -72, "at the receiver")
        #expect(strength(wall((5, 1), (5, -1)), wall((6, -1), (7, 1), 3.4)) == -75)
        #expect(strength(wall((5, 0), (5, 1))) == -72, "it ends on the way")
        #expect(strength(wall((5, 0.1), (5, 1))) == -65, "beside the way")
        #expect(strength(wall((11, -1), (11, 1))) == -65, "behind the receiver")
        #expect(strength(wall((2, 0), (8, 0))) == -65, "along the way")
        #expect(strength(wall((5, -1), (5, 1), .infinite)) == nil)
        #expect(strength(wall((5, -1), (5, 1), 30.4)) == -95)
        #expect(strength(wall((5, -1), (5, 1), 30.6)) == nil)
        scanner.controller.distance = .metres(10)
        #expect(strength(wall((5, -1), (5, 1))) == -65, "a device without a position is nowhere")
    }

    @Test("weakens a pair in both directions, and no other pair")
    func pair() {
        let testbed = AirTestbed()
        let hosts = (0..<3).map { _ in testbed.host() }
        for host in hosts {
            host.advertise()
            host.scan()
        }
        func strengths() -> [[RSSI]] {
            for host in hosts { host.events = [] }
            testbed.pass(.milliseconds(150))
            return hosts.map { host in
                let reports = host.reports
                return hosts.compactMap { other in
                    reports.last { $0.address == other.controller.address }?.rssi
                }
            }
        }
        #expect(strengths() == [[-45, -45], [-45, -45], [-45, -45]])
        hosts[0].controller.setAttenuation(20, to: hosts[1].controller)
        #expect(strengths() == [[-65, -45], [-65, -45], [-45, -45]])
        hosts[1].controller.setAttenuation(.infinite, to: hosts[0].controller)
        #expect(strengths() == [[-45], [-45], [-45, -45]])
        hosts[1].controller.setAttenuation(0, to: hosts[0].controller)
        #expect(strengths() == [[-45, -45], [-45, -45], [-45, -45]])
    }

    @Test(
        "ends a link after its supervision timeout behind a wall, unless the wall is removed in time",
        arguments: allSettings
    )
    func link(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.controller.location = .position(self.at(0, 0))
        link.peripheral.controller.location = .position(self.at(10, 0))
        let walls = [AirWall(from: self.at(5, -5), to: self.at(5, 5), attenuation: .infinite)]
        link.testbed.air.walls = walls
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.pass(.milliseconds(700))
        #expect(link.peripheral.data.isEmpty)
        link.testbed.air.walls = []
        link.testbed.pass(.milliseconds(700))
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        link.testbed.air.walls = walls
        link.testbed.pass(.milliseconds(719))
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("ends a link of a separated pair", arguments: allSettings)
    func separatedLink(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.controller.setAttenuation(30, to: link.peripheral.controller)
        link.testbed.pass(.seconds(2))
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -75)
        link.central.controller.setAttenuation(.infinite, to: link.peripheral.controller)
        link.testbed.pass(.milliseconds(720))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }
}
