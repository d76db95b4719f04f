import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
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

    @Test("loses the given share of advertising")
    func advertising() {
        let testbed = AirTestbed(AirSettings(hasAirTime: false, loss: 0.3), seed: 9)
        let (advertiser, scanner) = (testbed.host(), testbed.host())
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

    @Test("links are established and end properly with 30 % loss")
    func lifeCycle() throws {
        for seed in 0..<20 {
            let testbed = AirTestbed(AirSettings(hasAirTime: seed % 2 == 0, loss: 0.3), seed: UInt64(seed))
            let link = try TestLink(testbed)
            link.central.ok(Disconnect(handle: link.centralHandle))
            testbed.pass(.seconds(2))
            #expect(link.reasons == [.localHostTerminated, .remoteUserTerminated])
        }
    }

    /// So heavy that no packet arrives, though the air might not lose everything.
    private static let heavyLoss: LossProbability = 0.999_999_999

    @Test("with air time a quiet link has the whole timeout when the air begins to lose packets")
    func quietWithAirTime() throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.testbed.pass(.seconds(5))
        link.testbed.air.setLoss(Self.heavyLoss)
        link.testbed.pass(.milliseconds(719))
        #expect(link.isOpen == [true, true])
        // The next connection event checks the timeout.
        link.testbed.pass(.milliseconds(32))
        #expect(link.isOpen == [false, false])
        #expect(link.reasons == [.connectionTimeout, .connectionTimeout])
    }

    @Test("without air time a link on which all is lost ends with the attempt at which its timeout is over")
    func quietWithoutAirTime() throws {
        let link = try TestLink(AirTestbed())
        link.testbed.air.setLoss(Self.heavyLoss)
        link.testbed.pass(.seconds(5))
        #expect(link.isOpen == [true, true], "nothing was to be sent")
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        // 24 connection intervals of 30 ms.
        link.testbed.pass(.milliseconds(719))
        #expect(link.isOpen == [true, true])
        link.testbed.pass(.milliseconds(1))
        #expect(link.isOpen == [false, false])
        #expect(link.peripheral.data.isEmpty)
    }

    @Test("without air time a packet that was lost is sent again one connection interval later, and not before")
    func retry() throws {
        let link = try TestLink(AirTestbed())
        link.testbed.air.setLoss(Self.heavyLoss)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        link.testbed.air.setLoss(0)
        link.central.sendData([2], on: link.centralHandle)
        link.testbed.pass(.nanoseconds(29_999_999))
        #expect(link.peripheral.data.isEmpty)
        link.testbed.pass(.nanoseconds(1))
        #expect(link.peripheral.data.map(\.octets) == [[1], [2]])
        // From now on nothing is in the way.
        link.central.sendData([3], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[1], [2], [3]])
    }

    @Test("a link that the air has cut off goes on when it loses less, and the timeout begins again")
    func cutOff() throws {
        for settings in [AirSettings.instant, .realistic] {
            let link = try TestLink(AirTestbed(settings))
            for _ in 0..<3 {
                link.testbed.air.setLoss(1)
                link.testbed.pass(.milliseconds(700))
                link.testbed.air.setLoss(0)
                link.testbed.pass(.milliseconds(100))
            }
            #expect(link.isOpen == [true, true])
            link.central.sendData([1], on: link.centralHandle)
            link.testbed.pass(.milliseconds(100))
            #expect(link.peripheral.data.map(\.octets) == [[1]])
            link.testbed.air.setLoss(1)
            link.testbed.pass(.milliseconds(719))
            #expect(link.isOpen == [true, true])
            link.testbed.pass(.milliseconds(1))
            #expect(link.isOpen == [false, false])
        }
    }

    @Test("sends a lost packet again when the ends hear each other again")
    func sentAgain() throws {
        for pause in [0, 100] as [Int64] {
            let link = try TestLink(AirTestbed())
            link.testbed.air.setLoss(Self.heavyLoss)
            link.central.sendData([1, 2, 3], on: link.centralHandle)
            link.testbed.loop.run()
            #expect(link.peripheral.data.isEmpty)
            link.testbed.air.setLoss(1)
            link.testbed.pass(.milliseconds(pause))
            #expect(link.peripheral.data.isEmpty)
            link.testbed.air.setLoss(0)
            link.testbed.pass(.milliseconds(1))
            #expect(link.peripheral.data.count == 1, "\(pause) ms")
        }
    }
}
