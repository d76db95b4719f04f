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

    @Test("weakens only signals that cross a wall, down to nothing")
    func wall() {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        advertiser.controller.location = .position(self.at(0, 0))
        scanner.controller.location = .position(self.at(10, 0))
        advertiser.advertise()
        scanner.scan()
        func strength(_ walls: (x: Double, y: Double, attenuation: Attenuation)...) -> RSSI? {
            testbed.air.walls = walls.map {
                AirWall(from: self.at($0.x, $0.y), to: self.at($0.x + 1, 1), attenuation: $0.attenuation)
            }
            scanner.events = []
            testbed.pass(.milliseconds(150))
            return scanner.reports.last?.rssi
        }
        #expect(strength() == -65)
        #expect(strength((5, -1, 7)) == -72)
        #expect(strength((5, -1, 7), (6, -1, 3.4)) == -75)
        #expect(strength((5, 0.1, 7)) == -65, "beside the way")
        #expect(strength((5, -1, .infinite)) == nil)
        #expect(strength((5, -1, 30.4)) == -95)
        #expect(strength((5, -1, 30.6)) == nil)
        scanner.controller.distance = .metres(10)
        #expect(strength((5, -1, 7)) == -65, "a device without a position is nowhere")
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
        "ends a link after its supervision timeout behind a wall or apart, unless that is removed in time",
        arguments: allSettings,
        [true, false]
    )
    func link(settings: AirSettings, hasWall: Bool) throws {
        let link = try TestLink(AirTestbed(settings))
        let (central, peripheral) = (link.central.controller, link.peripheral.controller)
        central.location = .position(self.at(0, 0))
        peripheral.location = .position(self.at(10, 0))
        let wall = AirWall(from: self.at(5, -5), to: self.at(5, 5), attenuation: .infinite)
        func separate(_ isSeparated: Bool) {
            if hasWall {
                link.testbed.air.walls = isSeparated ? [wall] : []
            } else {
                central.setAttenuation(isSeparated ? .infinite : 10, to: peripheral)
            }
        }
        separate(true)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.pass(.milliseconds(700))
        #expect(link.peripheral.data.isEmpty)
        separate(false)
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == (hasWall ? -65 : -75))
        link.testbed.pass(.milliseconds(700))
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        separate(true)
        link.testbed.pass(.milliseconds(719))
        #expect(link.reasons == [nil, nil])
        link.testbed.pass(.milliseconds(1))
        #expect(link.reasons == [.connectionTimeout, .connectionTimeout])
    }
}
