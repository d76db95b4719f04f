import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Delivery to hosts")
struct DeliveryTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    @Test("a host that brings another device back into range while it is called causes a call of that device's host")
    func backInReach() throws {
        let link = try TestLink(AirTestbed())
        let third = link.testbed.host()
        link.peripheral.controller.distance = .metres(1_000)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty && link.central.outstanding[link.centralHandle] == 1)
        let controller = link.peripheral.controller
        third.onPacket = { _ in controller.distance = .metres(1) }
        third.ok(ReadBDADDR())
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        #expect(link.central.outstanding[link.centralHandle] == 0)
        // The next one is delivered as usual.
        link.central.sendData([2], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[1], [2]])
    }

    @Test("a host that takes packets again while it is called gets each waiting packet once")
    func writableAgain() throws {
        let link = try TestLink(AirTestbed())
        let controller = link.peripheral.controller
        controller.isHostWritable = false
        for value in 0..<3 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty)
        link.peripheral.onPacket = { _ in controller.isHostWritable = true }
        link.peripheral.ok(ReadBDADDR())
        #expect(link.peripheral.data.map(\.octets) == [[0], [1], [2]])
        #expect(link.central.outstanding[link.centralHandle] == 0)
    }

    @Test("a host that closes its controller while it is called gets neither the next packet nor the end of the batch")
    func closed() {
        let testbed = AirTestbed()
        for closes in [false, true] {
            let host = testbed.host()
            host.events = []
            let batches = host.batches
            let controller = host.controller
            if closes { host.onPacket = { _ in controller.close() } }
            host.send(ReadBDADDR())
            host.send(ReadBDADDR())
            testbed.loop.run()
            #expect(host.events.count == (closes ? 1 : 2))
            #expect(host.batches - batches == (closes ? 0 : 1))
            host.send(ReadBDADDR())
            testbed.loop.run()
            #expect(host.events.count == (closes ? 1 : 3))
        }
    }

    @Test("HCI Reset frees the buffers of data that was not sent", arguments: allSettings)
    func buffersAfterReset(settings: AirSettings) throws {
        let testbed = AirTestbed(settings)
        let central = testbed.host { $0.model.aclDataPacketCount = 4 }
        let link = try TestLink(testbed, central: central)
        link.peripheral.controller.distance = .metres(1_000)
        for value in 0..<5 { central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(central.takeAll(DataBufferOverflow.self).count == 1)
        #expect(central.outstanding[link.centralHandle] == 5)
        central.setUp()
        #expect(central.outstanding[link.centralHandle] == 5, "what a reset forgets is not reported")
        link.peripheral.controller.distance = .metres(1)
        testbed.pass(.seconds(1))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(link.peripheral.data.isEmpty)

        central.outstanding = [:]
        let again = try TestLink(testbed, central: central, peripheral: link.peripheral)
        for value in 5..<9 { central.sendData([UInt8(value)], on: again.centralHandle) }
        testbed.pass(.seconds(1))
        #expect(again.peripheral.data.map(\.octets) == [[5], [6], [7], [8]])
        #expect(central.takeAll(DataBufferOverflow.self).isEmpty)
        #expect(central.outstanding[again.centralHandle] == 0)
    }

    @Test("data in front of HCI Reset is sent and forgotten in one turn")
    func dataBeforeReset() throws {
        let link = try TestLink(AirTestbed())
        link.central.sendData([1], on: link.centralHandle)
        link.central.ok(Reset())
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        #expect(link.central.outstanding[link.centralHandle] == 1)
        #expect(link.central.take(NumberOfCompletedPackets.self) == nil)
    }
}
