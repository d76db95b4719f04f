// An Execute Write of several values (Vol 3, Part F, 3.4.6.3).

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Several values in one write to a scripted device")
struct ScriptExecuteWriteTests {
    private typealias Answer = ScriptedPeripheral.Answer

    /// The values with which closures were called, in order.
    private final class Asked {
        var values: [[UInt8]] = []
    }

    /// A device whose characteristics FFF1, FFF2 and so on have the values 1, 2 and so on, and answer as given.
    private struct Setup {
        let asked = Asked()
        let meeting: BareMeeting

        init(
            _ answers: [Answer],
            faults: [ScriptedPeripheral.Fault] = [],
            descriptors: [ScriptedPeripheral.Descriptor] = []
        ) throws {
            var script = ScriptedPeripheral.thing(
                answers.enumerated().map { [asked] index, answer in
                    .init(
                        "FFF\(index + 1)",
                        properties: [.read, .write],
                        value: Data([UInt8(index + 1)]),
                        onWrite: { value, _ in
                            asked.values.append(Array(value))
                            return answer
                        },
                        descriptors: descriptors
                    )
                }
            )
            script.faults = faults
            self.meeting = try BareMeeting(script: script)
        }

        var handles: [AttributeHandle] { self.meeting.handles }
        var values: [[UInt8]] { self.meeting.values }
        var written: [[UInt8]] { self.meeting.written }

        func write(to handles: [AttributeHandle]) -> (error: GATTError?, time: Duration) {
            self.meeting.writeReliably(to: handles)
        }
    }

    @Test("answers with the first refusal, and does not ask later parts")
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

    @Test("takes all parts in their order")
    func taken() throws {
        let setup = try Setup([.success, .value(Data([9])), .success])
        let (error, time) = setup.write(to: setup.handles.reversed())
        #expect(error == nil && time < .seconds(1))
        #expect(setup.asked.values == [[11], [12], [13]] && setup.written == [[11], [12], [13]])
        #expect(setup.values == [[13], [12], [11]])
    }

    @Test("does not answer if one part is never answered")
    func unanswered() throws {
        let setup = try Setup([.success, .noResponse, .error(.writeNotPermitted)])
        let (error, time) = setup.write(to: setup.handles)
        #expect(error == .transactionTimeout)
        #expect(time >= .seconds(30) && time < .seconds(31))
        #expect(setup.asked.values == [[11], [12]] && setup.values == [[11], [2], [3]])
    }

    @Test("waits for the late answer of one part, and asks once", arguments: [true, false])
    func late(isTaken: Bool) throws {
        var replies: [(Answer) -> Void] = []
        let setup = try Setup([.success, .later { replies.append($0) }, .error(.invalidAttributeValueLength)])
        setup.meeting.testbed.world.after(.seconds(2)) {
            for reply in replies { reply(isTaken ? .success : .error(.writeNotPermitted)) }
        }
        let (error, time) = setup.write(to: setup.handles)
        let refusal = GATTError.att(.writeNotPermitted, handle: setup.handles[0])
        #expect(error == (isTaken ? nil : refusal))
        #expect(time >= .seconds(1) && time < .seconds(3))
        #expect(replies.count == 1 && setup.asked.values == [[11], [12]])
        #expect(setup.values == (isTaken ? [[11], [12], [13]] : [[11], [2], [3]]))
    }

    @Test("does not answer if a fault ends the link at the second part")
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

    @Test("waits for the longest delay of the parts that are taken")
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

    @Test("writes a descriptor among the parts")
    func descriptors() throws {
        let descriptor = ScriptedPeripheral.Descriptor("FFD1", value: Data([6]), isWritable: true)
        let setup = try Setup([.success], descriptors: [descriptor])
        let handle = try #require(setup.handles.first)
        let (error, _) = setup.write(to: [handle + 1, handle])
        #expect(error == nil && setup.asked.values == [[12]] && setup.values == [[12]])
        #expect(try setup.meeting.read(handle + 1) == [11])
        // Behind a part that is refused it is not written.
        let refusing = try Setup([.error(.writeNotPermitted)], descriptors: [descriptor])
        let (refusal, _) = refusing.write(to: [handle, handle + 1])
        #expect(refusal == .att(.writeNotPermitted, handle: handle))
        #expect(try refusing.meeting.read(handle + 1) == [6])
    }

    @Test("repeats what followed each part in a capture, each at its time")
    func follows() throws {
        let delays: [TimeAmount?] = [.milliseconds(2_000), nil, .milliseconds(1_000)]
        let recorded = delays.enumerated().map { index, delay in
            let handle = AttributeHandle(3 * index + 3)
            let uuid = BluetoothUUID(0xFFF1 + UInt16(index))
            var characteristic = RecordedCharacteristic(uuid: uuid, properties: [.read, .write], handle: handle)
            var write = RecordedCharacteristic.Write(value: ByteBuffer(bytes: [UInt8(index + 11)]))
            if let delay {
                let value = ByteBuffer(bytes: [UInt8(index + 21)])
                write.answers = [RecordedCharacteristic.Answer(handle: handle, delay: delay, value: value)]
            }
            characteristic.writes = [write]
            return characteristic
        }
        let meeting = try BareMeeting(script: .recorded(recorded))
        let (error, _) = meeting.writeReliably(to: meeting.handles)
        #expect(error == nil && meeting.values == [[11], [12], [13]])
        meeting.testbed.run(.milliseconds(1_300))
        #expect(meeting.values == [[11], [12], [23]])
        meeting.testbed.run(.milliseconds(1_000))
        #expect(meeting.values == [[21], [12], [23]])
        try meeting.testbed.world.run(until: true)
    }
}
