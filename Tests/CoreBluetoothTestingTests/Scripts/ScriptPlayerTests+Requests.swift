// Requests at offsets and in pieces, and values that change between them.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Requests to a scripted device")
struct ScriptRequestsTests {
    @Test("reads a value and a descriptor from any octet up to their end")
    func read() throws {
        let setup = try BareMeeting(
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

    @Test("asks a closure by the first request of a read only")
    func closure() throws {
        var count: UInt8 = 0
        let setup = try BareMeeting(
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

    @Test("asks the closures of a descriptor like those of a characteristic")
    func descriptorClosures() throws {
        var count: UInt8 = 0
        var answers: [ScriptedPeripheral.Answer] = [
            .error(.invalidAttributeValueLength), .later { $0(.success) }, .value(Data()).delayed(by: .seconds(1)),
        ]
        var asked: [Data] = []
        let setup = try BareMeeting(
            .init(
                "FFF1",
                properties: .read,
                descriptors: [
                    .init(
                        "FFD1",
                        onRead: { _ in
                            count += 1
                            if count == 3 { return .error(.readNotPermitted) }
                            return count >= 4 ? .success : .value(Data([count, 5]))
                        },
                        onWrite: { value, _ in
                            asked.append(value)
                            return answers.removeFirst()
                        }
                    )
                ]
            )
        )
        let descriptor = setup.handle + 1
        #expect(try setup.read(descriptor) == [1, 5])
        #expect(try setup.read(descriptor, from: 1) == [5] && count == 1)
        #expect(try setup.read(descriptor) == [2, 5])
        #expect(throws: GATTError.att(.readNotPermitted, handle: descriptor)) { try setup.read(descriptor) }
        #expect(throws: GATTError.self) { try setup.write(descriptor, [(0, [7])]) }
        try setup.write(descriptor, [(0, [8])])
        #expect(try setup.read(descriptor) == [8])
        try setup.write(descriptor, [(1, [9])])
        #expect(asked == [Data([7]), Data([8]), Data([8, 9])] && setup.written.isEmpty)
        #expect(try setup.read(descriptor) == [8, 9])
    }

    @Test("joins adjoining pieces to one write, and keeps the octets before a later piece")
    func pieces() throws {
        let setup = try BareMeeting(
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
        // A descriptor is written in the same way, and does not count as a write of a characteristic.
        try setup.write(setup.handle + 1, [(2, [1])])
        #expect(try setup.read(setup.handle + 1, from: 0) == [6, 7, 1])
        try setup.write(setup.handle + 1, [(0, [4, 4])])
        #expect(try setup.read(setup.handle + 1, from: 0) == [4, 4])
        #expect(setup.device.writes.count == 3 && setup.value == [9, 5, 5, 7])
    }

    @Test(
        "K5 refuses pieces that leave a gap with Invalid Offset, and writes none of them (Vol 3, Part F, 3.4.6.3)",
        arguments: [
            [(5, [9])], [(2, [9])], [(0, [9]), (2, [9])], [(0, [9, 9]), (4, [9])], [(1, [9]), (3, [9])],
        ] as [[(Int, [UInt8])]]
    )
    func gap(pieces: [(Int, [UInt8])]) throws {
        let setup = try BareMeeting(
            .init(
                "FFF1",
                properties: [.read, .write],
                value: Data([1]),
                descriptors: [.init("FFD1", value: Data([1]), isWritable: true)]
            )
        )
        for handle in [setup.handle, setup.handle + 1] {
            #expect(throws: GATTError.att(.invalidOffset, handle: handle)) {
                try setup.write(handle, pieces.map { (offset: $0.0, value: $0.1) })
            }
            #expect(try setup.read(handle) == [1])
        }
        #expect(setup.device.writes.isEmpty)
        // There is no gap at the end of the value.
        try setup.write(setup.handle, [(1, [2])])
        #expect(setup.value == [1, 2])
    }

    @Test("reads a later part of the present value, or of what a closure gave", arguments: [false, true])
    func changedValue(hasClosure: Bool) throws {
        var characteristic = ScriptedPeripheral.Characteristic("FFF1", properties: .read, value: Data([1, 2, 3]))
        if hasClosure { characteristic.onRead = { _ in .success } }
        let setup = try BareMeeting(characteristic)
        #expect(try setup.read(setup.handle) == [1, 2, 3])
        setup.device.setValue(Data([7, 8, 9]), of: CBUUID(string: "FFF1"))
        #expect(try setup.read(setup.handle, from: 1) == (hasClosure ? [2, 3] : [8, 9]))
        #expect(try setup.read(setup.handle) == [7, 8, 9])
        #expect(try setup.read(setup.handle, from: 2) == [9])
    }

    @Test("reads and writes a characteristic at a handle that another attribute had")
    func reusedHandles() throws {
        let before = ScriptedPeripheral.Characteristic(
            "FFF1",
            properties: .read,
            value: Data([1]),
            descriptors: [.init("FFD1", value: Data([2])), .init("FFD2", value: Data([3]))]
        )
        let after: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: .read, value: Data([4])),
            .init("FFF2", properties: [.read, .write], value: Data([5])),
        ]
        let script = ScriptedPeripheral(name: "Thing", services: [.init("FFF0", characteristics: [before], handle: 40)])
        let setup = try BareMeeting(script: script) {
            $0.publish([.init("FFF0", characteristics: after, handle: 40)])
        }
        #expect(setup.handles == [42, 44])
        #expect(try setup.handles.map { try setup.read($0) } == [[4], [5]])
        try setup.write(44, [(0, [6])])
        #expect(try setup.read(44) == [6] && setup.written == [[6]])
    }
}
