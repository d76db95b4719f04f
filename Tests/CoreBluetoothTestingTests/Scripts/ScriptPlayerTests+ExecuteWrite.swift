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

    @Test("answers with the first error, or else as late as the latest part, and does not call later closures")
    func answers() throws {
        typealias Row = (answers: [Answer], error: ATTErrorCode?, values: [UInt8], seconds: Int)
        let rows: [Row] = [
            ([.error(.writeNotPermitted), .error(.invalidAttributeValueLength)], .writeNotPermitted, [1, 2], 0),
            (
                [.value(Data([9])), .error(.writeNotPermitted), .error(.invalidAttributeValueLength)],
                .writeNotPermitted, [11, 2, 3], 0
            ),
            ([.success, .value(Data([9])), .success], nil, [11, 12, 13], 0),
            ([.success, .noResponse, .error(.writeNotPermitted)], nil, [11, 2, 3], 30),
            ([.success.delayed(by: .seconds(1)), .success.delayed(by: .seconds(3))], nil, [11, 12], 3),
            ([.success.delayed(by: .seconds(3)), .success.delayed(by: .seconds(1))], nil, [11, 12], 3),
        ]
        for (number, row) in rows.enumerated() {
            let setup = try Setup(row.answers)
            let (error, time) = setup.write(to: setup.handles)
            let expected = row.error.map { GATTError.att($0, handle: setup.handles[0]) }
            #expect(error == (row.seconds == 30 ? .transactionTimeout : expected), "\(number)")
            #expect(time >= .seconds(row.seconds) && time < .seconds(row.seconds + 1), "\(number)")
            let askedCount = row.values.count { $0 > 10 }
            let isStopped = askedCount < row.answers.count
            let asked = (0..<askedCount + (isStopped ? 1 : 0)).map { [UInt8(11 + $0)] }
            #expect(setup.asked.values == asked && setup.written == asked, "\(number)")
            #expect(setup.values == row.values.map { [$0] }, "\(number)")
        }
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

    @Test("writes a descriptor among the parts")
    func descriptors() throws {
        let descriptor = ScriptedPeripheral.Descriptor("FFD1", value: Data([6]), isWritable: true)
        let setup = try Setup([.success], descriptors: [descriptor])
        let handle = try #require(setup.handles.first)
        let (error, _) = setup.write(to: [handle + 1, handle])
        #expect(error == nil && setup.asked.values == [[12]] && setup.values == [[12]])
        #expect(try setup.meeting.read(handle + 1) == [11])
        // Parts after a rejected one are not written.
        let refusing = try Setup([.error(.writeNotPermitted)], descriptors: [descriptor])
        let (refusal, _) = refusing.write(to: [handle, handle + 1])
        #expect(refusal == .att(.writeNotPermitted, handle: handle))
        #expect(try refusing.meeting.read(handle + 1) == [6])
    }

    @Test("repeats the updates that followed each part in a capture, at their times")
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
