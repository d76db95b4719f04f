// A central that reads a scripted peripheral from an octet of its own, and writes pieces: what the device answers, and
// what its values are then.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import CoreBluetoothTesting
import NIOCore
import Testbed
import Testing

@Suite("Offsets of a scripted peripheral")
struct ScriptOffsetsTests {
    /// A device with one characteristic, and a central that has found it.
    private struct Setup {
        let testbed = Testbed()
        let device: ScriptedDevice
        let central: BareCentral
        let link: LinkID
        let handle: AttributeHandle

        init(_ characteristic: ScriptedPeripheral.Characteristic) throws {
            self.device = self.testbed.world.addPeripheral(ScriptedPeripheral.thing([characteristic]))
            self.central = BareCentral(in: self.testbed)
            self.link = try self.central.connect()
            self.handle = try #require(try self.central.valueHandles(of: 0xFFF0, on: self.link).first)
        }

        var value: [UInt8] { Array(self.device.value(of: CBUUID(string: "FFF1")) ?? Data()) }

        func read(_ handle: AttributeHandle, from offset: Int) throws -> [UInt8] {
            Array(try self.central.perform(ReadValue(handle, from: offset), on: self.link).get().readableBytesView)
        }

        func write(_ handle: AttributeHandle, _ pieces: [(offset: Int, value: [UInt8])]) throws {
            let pieces = pieces.map { (offset: $0.offset, value: ByteBuffer(bytes: $0.value)) }
            try self.central.perform(WriteInPieces(handle, pieces), on: self.link).get()
        }
    }

    @Test("A value and a descriptor may be read from any octet up to their end; behind that it is an ATT error")
    func read() throws {
        let setup = try Setup(
            .init(
                "FFF1",
                properties: .read,
                value: Data([1, 2, 3, 4, 5]),
                descriptors: [.init("FFD1", value: Data([6, 7, 8]))]
            )
        )
        let rows: [(handle: AttributeHandle, octets: [UInt8])] = [
            (setup.handle, [1, 2, 3, 4, 5]), (setup.handle + 1, [6, 7, 8]),
        ]
        for (handle, octets) in rows {
            for offset in 0...octets.count {
                #expect(try setup.read(handle, from: offset) == Array(octets.dropFirst(offset)))
            }
            #expect(throws: GATTError.att(.invalidOffset, handle: handle)) {
                try setup.read(handle, from: octets.count + 1)
            }
        }
    }

    @Test("A closure is asked by the first request of a read, also by one from a later octet, and not by the others")
    func closure() throws {
        var count: UInt8 = 0
        let setup = try Setup(
            .init(
                "FFF1",
                properties: .read,
                onRead: { _ in
                    count += 1
                    return .value(Data([count, 2, 3]))
                }
            )
        )
        #expect(try setup.read(setup.handle, from: 1) == [2, 3])
        #expect(count == 1)
        #expect(try setup.read(setup.handle, from: 2) == [3])
        #expect(throws: GATTError.att(.invalidOffset, handle: setup.handle)) {
            try setup.read(setup.handle, from: 4)
        }
        #expect(count == 1)
        #expect(try setup.read(setup.handle, from: 0) == [2, 2, 3])
        #expect(try setup.read(setup.handle, from: 0) == [3, 2, 3])
        #expect(try setup.read(setup.handle, from: 0) == [4, 2, 3])
        #expect(count == 4)
    }

    @Test("Pieces that adjoin are one write; one from a later octet keeps what stands before it")
    func pieces() throws {
        let setup = try Setup(
            .init(
                "FFF1",
                properties: [.read, .write],
                value: Data([1, 2, 3, 4]),
                descriptors: [.init("FFD1", value: Data([6, 7, 8]), isWritable: true)]
            )
        )
        try setup.write(setup.handle, [(0, [9]), (1, [8])])
        #expect(setup.value == [9, 8])
        try setup.write(setup.handle, [(1, [5, 5])])
        #expect(setup.value == [9, 5, 5])
        try setup.write(setup.handle, [(3, [7])])
        #expect(setup.value == [9, 5, 5, 7])
        #expect(setup.device.writes.map { Array($0.value) } == [[9, 8], [9, 5, 5], [9, 5, 5, 7]])
        // A descriptor is written in the same way, and is no write of a characteristic.
        try setup.write(setup.handle + 1, [(2, [1])])
        #expect(try setup.read(setup.handle + 1, from: 0) == [6, 7, 1])
        try setup.write(setup.handle + 1, [(0, [4, 4])])
        #expect(try setup.read(setup.handle + 1, from: 0) == [4, 4])
        #expect(setup.device.writes.count == 3 && setup.value == [9, 5, 5, 7])
    }

    @Test("A piece that an app behind the device takes late is in its place then, and one that it refuses is not")
    func latePieces() throws {
        for isTaken in [true, false] {
            let setup = try Setup(
                .init(
                    "FFF1",
                    properties: [.read, .write],
                    value: Data([1, 2, 3]),
                    onWrite: { _, device in
                        .later { reply in
                            device.after(.seconds(1)) { reply(isTaken ? .success : .error(.writeNotPermitted)) }
                        }
                    }
                )
            )
            let start = setup.testbed.world.now
            if isTaken {
                try setup.write(setup.handle, [(2, [9])])
                #expect(setup.value == [1, 2, 9])
            } else {
                #expect(throws: GATTError.att(.writeNotPermitted, handle: setup.handle)) {
                    try setup.write(setup.handle, [(2, [9])])
                }
                #expect(setup.value == [1, 2, 3])
            }
            #expect(setup.testbed.world.now - start >= .seconds(1))
            #expect(setup.device.writes.map { Array($0.value) } == [[1, 2, 9]])
        }
    }
}
