// An air that loses packets: data is sent again and stays in order, advertising is gone.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@Suite("Loss")
struct LossTests {
    @Test(
        "with 30 % loss all data arrives once and in order, both ways",
        arguments: [AirSettings(hasAirTime: false, loss: 0.3), AirSettings(hasAirTime: true, loss: 0.3)]
    )
    func inOrder(settings: AirSettings) throws {
        let testbed = AirTestbed(settings, seed: 5)
        let link = try TestLink(testbed)
        let count = 500
        // Each host keeps the buffers full.
        func feed(_ host: TestHost, _ handle: ConnectionHandle) {
            var next = 0
            func fill() {
                while next < count, host.outstanding[handle, default: 0] < 10 {
                    // Some are longer than a packet on the air.
                    let filler = [UInt8](repeating: 0, count: next % 3 == 0 ? 60 : 0)
                    host.sendData([UInt8(next & 0xFF), UInt8(next >> 8)] + filler, on: handle)
                    next += 1
                }
            }
            host.onPacket = { if $0.kind == .event { fill() } }
            fill()
        }
        feed(link.central, link.centralHandle)
        feed(link.peripheral, link.peripheralHandle)
        testbed.pass(.minutes(5))
        for host in [link.central, link.peripheral] {
            let starts = host.data.filter { $0.boundary == .firstFlushable }
            #expect(starts.map { Int($0.octets[0]) | Int($0.octets[1]) << 8 } == Array(0..<count))
            let total = host.data.reduce(0) { $0 + $1.octets.count }
            #expect(total == (0..<count).reduce(0) { $0 + ($1 % 3 == 0 ? 62 : 2) })
        }
        #expect(link.central.outstanding[link.centralHandle] == 0)
        #expect(link.peripheral.outstanding[link.peripheralHandle] == 0)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
    }

    @Test("advertising is lost by its share")
    func advertising() {
        let testbed = AirTestbed(AirSettings(hasAirTime: false, loss: 0.3), seed: 9)
        let advertiser = testbed.host()
        let scanner = testbed.host()
        advertiser.advertise(interval: 0x20)
        scanner.scan(type: .active)
        testbed.pass(.seconds(100))
        let reports = scanner.reports
        let sent = 100_000.0 / 25
        let heard = Double(reports.filter { $0.eventType != .scanResponse }.count)
        let answered = Double(reports.filter { $0.eventType == .scanResponse }.count)
        #expect((0.65...0.75).contains(heard / sent))
        // Request and answer must both arrive.
        #expect((0.44...0.54).contains(answered / heard))
    }

    @Test("links come about, and end properly, with 30 % loss")
    func lifeCycle() throws {
        for seed in 0..<20 {
            let testbed = AirTestbed(AirSettings(hasAirTime: seed % 2 == 0, loss: 0.3), seed: UInt64(seed))
            let link = try TestLink(testbed)
            link.central.ok(Disconnect(handle: link.centralHandle))
            testbed.pass(.seconds(2))
            #expect(link.central.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
            #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .remoteUserTerminated)
        }
    }

    @Test("a link on which hardly anything arrives dies of it")
    func nearlyDead() throws {
        for hasAirTime in [false, true] {
            let testbed = AirTestbed(AirSettings(hasAirTime: hasAirTime, loss: 0), seed: 3)
            let link = try TestLink(testbed)
            testbed.air.setLoss(0.99)
            link.central.sendData([1], on: link.centralHandle)
            testbed.pass(.seconds(30))
            #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
            #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        }
    }
}
