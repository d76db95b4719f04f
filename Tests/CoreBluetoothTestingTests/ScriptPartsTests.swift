// What a scripted device makes of an Execute Write of several values (Vol 3, Part F, 3.4.6.3): which answer is that to
// all of them, when it comes, which values are taken, and what follows as in a capture.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Several values in one write to a scripted peripheral")
struct ScriptPartsTests {
    private typealias Answer = ScriptedPeripheral.Answer

    /// The values with which closures were called, in order.
    private final class Asked {
        var values: [[UInt8]] = []
    }

    /// A device, and a central that has found the characteristics of its service.
    private struct Setup {
        let testbed = Testbed()
        let asked: Asked
        let device: ScriptedDevice
        let central: BareCentral
        let link: LinkID
        let handles: [AttributeHandle]

        init(_ script: ScriptedPeripheral, _ asked: Asked = Asked()) throws {
            self.asked = asked
            self.device = self.testbed.world.addPeripheral(script)
            self.central = BareCentral(in: self.testbed)
            self.link = try self.central.connect()
            self.handles = try self.central.valueHandles(of: 0xFFF0, on: self.link)
        }

        /// A device whose characteristics FFF1, FFF2 and so on have the values 1, 2 and so on, and answer like this.
        init(
            _ answers: [Answer],
            faults: [ScriptedPeripheral.Fault] = [],
            descriptors: [ScriptedPeripheral.Descriptor] = []
        ) throws {
            let asked = Asked()
            var characteristics: [ScriptedPeripheral.Characteristic] = []
            for (index, answer) in answers.enumerated() {
                let characteristic = ScriptedPeripheral.Characteristic(
                    "FFF\(index + 1)",
                    properties: [.read, .write],
                    value: Data([UInt8(index + 1)]),
                    onWrite: { value, _ in
                        asked.values.append(Array(value))
                        return answer
                    },
                    descriptors: descriptors
                )
                characteristics.append(characteristic)
            }
            var script = ScriptedPeripheral.thing(characteristics)
            script.faults = faults
            try self.init(script, asked)
        }

        /// Writes 11, 12 and so on with one Execute Write; gives what comes of it, and after how long.
        func write(to handles: [AttributeHandle]) -> (error: GATTError?, time: Duration) {
            var values: [AttributeValue] = []
            for (index, handle) in handles.enumerated() {
                values.append(AttributeValue(handle: handle, value: ByteBuffer(bytes: [UInt8(index + 11)])))
            }
            let start = self.testbed.world.now
            let result = self.central.perform(ReliableWrites(values), on: self.link)
            var error: GATTError?
            if case .failure(let failure) = result { error = failure }
            return (error, self.testbed.world.now - start)
        }

        /// The values of the characteristics, in order.
        var values: [[UInt8]] {
            self.device.player.characteristics.map { Array(self.device.value(of: $0) ?? Data()) }
        }

        /// What the device notes as written, in order.
        var written: [[UInt8]] { self.device.writes.map { Array($0.value) } }

        func read(_ handle: AttributeHandle) throws -> [UInt8] {
            Array(try self.central.perform(ReadValue(handle), on: self.link).get().readableBytesView)
        }
    }

    // MARK: Which answer

    @Test("The first answer that is no success is the answer to all parts, and later parts are not asked")
    func firstRefusal() throws {
        let rows: [(answers: [Answer], code: ATTErrorCode, asked: [[UInt8]], values: [[UInt8]])] = [
            ([.error(.writeNotPermitted), .success], .writeNotPermitted, [[11]], [[1], [2]]),
            (
                [.error(.writeNotPermitted), .error(.invalidAttributeValueLength)], .writeNotPermitted, [[11]],
                [[1], [2]]
            ),
            (
                [.success, .error(.invalidAttributeValueLength)], .invalidAttributeValueLength, [[11], [12]],
                [[11], [2]]
            ),
            (
                [.value(Data([9])), .error(.writeNotPermitted), .error(.invalidAttributeValueLength)],
                .writeNotPermitted, [[11], [12]], [[11], [2], [3]]
            ),
        ]
        for (number, row) in rows.enumerated() {
            let setup = try Setup(row.answers)
            #expect(setup.handles.count == row.answers.count)
            let (error, time) = setup.write(to: setup.handles)
            #expect(error == .att(row.code, handle: setup.handles[0]), "\(number)")
            #expect(time < .seconds(1))
            #expect(setup.asked.values == row.asked && setup.written == row.asked, "\(number)")
            #expect(setup.values == row.values, "\(number)")
        }
    }

    @Test("Where all parts are taken the write is, in the order of its parts")
    func taken() throws {
        let setup = try Setup([.success, .value(Data([9])), .success])
        let (error, time) = setup.write(to: setup.handles.reversed())
        #expect(error == nil && time < .seconds(1))
        #expect(setup.asked.values == [[11], [12], [13]] && setup.written == [[11], [12], [13]])
        #expect(setup.values == [[13], [12], [11]])
    }

    @Test("A part that is never answered leaves the whole write without an answer")
    func unanswered() throws {
        let setup = try Setup([.success, .noResponse, .error(.writeNotPermitted)])
        let (error, time) = setup.write(to: setup.handles)
        #expect(error == .transactionTimeout)
        #expect(time >= .seconds(30) && time < .seconds(31))
        #expect(setup.asked.values == [[11], [12]] && setup.values == [[11], [2], [3]])
    }

    @Test("What an app behind the device says of one part counts for all, and is asked once", arguments: [true, false])
    func late(isTaken: Bool) throws {
        var replies: [(Answer) -> Void] = []
        let setup = try Setup([.success, .later { replies.append($0) }, .error(.invalidAttributeValueLength)])
        setup.testbed.world.after(.seconds(2)) {
            for reply in replies { reply(isTaken ? .success : .error(.writeNotPermitted)) }
        }
        let (error, time) = setup.write(to: setup.handles)
        let refusal = GATTError.att(.writeNotPermitted, handle: setup.handles[0])
        #expect(error == (isTaken ? nil : refusal))
        #expect(time >= .seconds(1) && time < .seconds(3))
        #expect(replies.count == 1 && setup.asked.values == [[11], [12]])
        #expect(setup.values == (isTaken ? [[11], [12], [13]] : [[11], [2], [3]]))
    }

    @Test("A fault at the second part strikes when the first is taken, and the write is not answered")
    func fault() throws {
        let setup = try Setup(
            [.success, .success, .success],
            faults: [.disconnect(.onWrite(to: CBUUID(string: "FFF2")))]
        )
        let (error, time) = setup.write(to: setup.handles)
        guard case .disconnected? = error else {
            Issue.record("not disconnected: \(String(describing: error))")
            return
        }
        #expect(time < .seconds(5))
        #expect(setup.asked.values == [[11]] && setup.written == [[11], [12]])
        #expect(setup.values == [[11], [2], [3]])
    }

    // MARK: When it comes

    @Test("Of the parts that are taken the longest delay counts, wherever it is")
    func longestDelay() throws {
        let rows: [(answers: [Answer], seconds: Int)] = [
            ([.success.delayed(by: .seconds(1)), .success.delayed(by: .seconds(3))], 3),
            ([.success.delayed(by: .seconds(3)), .success.delayed(by: .seconds(1))], 3),
            ([.success.delayed(by: .seconds(2)), .success.delayed(by: .seconds(2))], 2),
            ([.success, .value(Data([9])).delayed(by: .seconds(2)), .success], 2),
        ]
        let values: [[UInt8]] = [[11], [12], [13]]
        for (number, row) in rows.enumerated() {
            let setup = try Setup(row.answers)
            let (error, time) = setup.write(to: setup.handles)
            let delay = Duration.seconds(row.seconds)
            #expect(error == nil && time >= delay && time - delay < .milliseconds(900), "\(number)")
            #expect(setup.values == Array(values.prefix(row.answers.count)), "\(number)")
        }
    }

    @Test("A refusal comes after its own delay, whatever that of the parts before it")
    func delayOfRefusal() throws {
        let rows: [(answers: [Answer], seconds: Int)] = [
            ([.success.delayed(by: .seconds(3)), .error(.writeNotPermitted)], 0),
            ([.success.delayed(by: .seconds(3)), .error(.writeNotPermitted).delayed(by: .seconds(1))], 1),
            ([.error(.writeNotPermitted).delayed(by: .seconds(2)), .success.delayed(by: .seconds(4))], 2),
        ]
        for (number, row) in rows.enumerated() {
            let setup = try Setup(row.answers)
            let (error, time) = setup.write(to: setup.handles)
            let delay = Duration.seconds(row.seconds)
            #expect(error == .att(.writeNotPermitted, handle: setup.handles[0]), "\(number)")
            #expect(time >= delay && time - delay < .milliseconds(900), "\(number)")
        }
    }

    // MARK: Descriptors

    @Test("A descriptor among the parts is written, has no answer of its own, and does not end the write")
    func descriptors() throws {
        let descriptor = ScriptedPeripheral.Descriptor("FFD1", value: Data([6]), isWritable: true)
        let setup = try Setup([.success], descriptors: [descriptor])
        let handle = try #require(setup.handles.first)
        let (error, _) = setup.write(to: [handle + 1, handle])
        #expect(error == nil && setup.asked.values == [[12]] && setup.values == [[12]])
        #expect(try setup.read(handle + 1) == [11])
        // Behind a part that is refused it is not written.
        let refusing = try Setup([.error(.writeNotPermitted)], descriptors: [descriptor])
        let (refusal, _) = refusing.write(to: [handle, handle + 1])
        #expect(refusal == .att(.writeNotPermitted, handle: handle))
        #expect(try refusing.read(handle + 1) == [6])
    }

    // MARK: Captures

    @Test("What followed from each part in a capture follows again, each at its time")
    func follows() throws {
        var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...20)
        service.wasDiscovered = true
        let delays: [TimeAmount?] = [.milliseconds(2_000), nil, .milliseconds(1_000)]
        for (index, delay) in delays.enumerated() {
            let handle = AttributeHandle(3 * index + 3)
            var characteristic = RecordedCharacteristic(
                uuid: BluetoothUUID(0xFFF1 + UInt16(index)),
                properties: [.read, .write],
                handle: handle
            )
            var write = RecordedCharacteristic.Write(value: ByteBuffer(bytes: [UInt8(index + 11)]))
            if let delay {
                let value = ByteBuffer(bytes: [UInt8(index + 21)])
                write.answers = [RecordedCharacteristic.Answer(handle: handle, delay: delay, value: value)]
            }
            characteristic.writes = [write]
            service.characteristics.append(characteristic)
        }
        var recorded = RecordedPeripheral()
        recorded.services = [service]
        let setup = try Setup(ScriptedPeripheral(recorded, .init(file: #fileID, line: #line)))
        let (error, _) = setup.write(to: setup.handles)
        #expect(error == nil && setup.values == [[11], [12], [13]])
        setup.testbed.run(.milliseconds(1_300))
        #expect(setup.values == [[11], [12], [23]])
        setup.testbed.run(.milliseconds(1_000))
        #expect(setup.values == [[21], [12], [23]])
        // Nothing of it was a mistake.
        try setup.testbed.world.run(until: true)
    }
}
