// Links on an air without air time: data, buffers, ends.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@Suite("Links")
struct LinkTests {
    @Test("both ends get data in order, with the flag of a controller and their own handles")
    func data() throws {
        let link = try TestLink(TestRoom())
        link.central.sendData([1, 2, 3], on: link.centralHandle)
        link.central.sendData([4], on: link.centralHandle, boundary: .continuing)
        link.peripheral.sendData([5, 6], on: link.peripheralHandle)
        #expect(link.peripheral.data.isEmpty)
        link.room.loop.run()
        #expect(
            link.peripheral.data == [
                ReceivedData(handle: link.peripheralHandle, boundary: .firstFlushable, octets: [1, 2, 3]),
                ReceivedData(handle: link.peripheralHandle, boundary: .continuing, octets: [4]),
            ]
        )
        #expect(
            link.central.data == [
                ReceivedData(handle: link.centralHandle, boundary: .firstFlushable, octets: [5, 6])
            ]
        )
        #expect(link.central.outstanding[link.centralHandle] == 0)
        #expect(link.peripheral.outstanding[link.peripheralHandle] == 0)
    }

    @Test("what is sent in one turn comes in one batch, and completed packets in one event")
    func batches() throws {
        let link = try TestLink(TestRoom())
        let batches = link.peripheral.batches
        for value in 0..<20 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        link.room.loop.run()
        #expect(link.peripheral.data.map(\.octets) == (0..<20).map { [UInt8($0)] })
        #expect(link.peripheral.batches == batches + 1)
        let completed = link.central.takeAll(NumberOfCompletedPackets.self)
        #expect(completed.count == 1)
        #expect(completed.first.map { Array($0.completed) } == [.init(handle: link.centralHandle, count: 20)])
    }

    @Test("a disconnection tells the peer the reason, and its own host 0x16")
    func disconnect() throws {
        let link = try TestLink(TestRoom())
        link.central.sendData([9], on: link.centralHandle)
        link.central.ok(Disconnect(handle: link.centralHandle, reason: .remotePowerOff))
        #expect(link.peripheral.data.count == 1)
        #expect(
            link.central.take(DisconnectionComplete.self)
                == DisconnectionComplete(handle: link.centralHandle, reason: .localHostTerminated)
        )
        #expect(
            link.peripheral.take(DisconnectionComplete.self)
                == DisconnectionComplete(handle: link.peripheralHandle, reason: .remotePowerOff)
        )
        link.central.refused(Disconnect(handle: link.centralHandle), .unknownConnectionIdentifier)
        #expect(link.central.controller.linkCount == 0)
        #expect(link.peripheral.controller.linkCount == 0)
    }
}
