import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar
@testable import CoreBluetooth

@Suite("Responses of the messenger")
struct PeripheralResponsesTests {
    private static var own: CBUUID { CBUUID(string: "199ab74c-eed0-11e6-bc64-92361f002672") }
    private static var other: CBUUID { CBUUID(string: "2A00") }

    private let testbed = Testbed()
    private let central = CBCentral.unlinked()

    private func responses() -> NotedResponses {
        self.testbed.adapter().run { NotedResponses(delegate: nil, queue: nil) }
    }

    @Test("confirms a message in parts once, before the observer is told")
    func received() throws {
        let speaker = self.testbed.speaker(nil)
        let responses = self.responses()
        var before: [[CBATTError.Code]] = []
        speaker.onReceive = { _, _ in before.append(responses.results) }
        let data = try PropertyListMessage.encode(["a": "b"])
        let parts = [
            self.central.request(Self.own, 0, data.prefix(20)), self.central.request(Self.own, 20, data.dropFirst(20)),
        ]
        speaker.manager.peripheralManager(responses, didReceiveWrite: parts)
        #expect(before == [[.success]] && responses.take() == [.success])
        #expect(speaker.received == [Exchanged(message: ["a": "b"], peer: self.central.identifier)])
        let empty = [self.central.request(Self.own, 0, nil), self.central.request(Self.own, 0, data)]
        speaker.manager.peripheralManager(responses, didReceiveWrite: empty)
        #expect(responses.take() == [.success] && speaker.received.count == 2 && speaker.errors.isEmpty)
        let overlapping = [
            self.central.request(Self.own, 0, data.prefix(20) + Data([0x78])),
            self.central.request(Self.own, 19, data.dropFirst(19)),
        ]
        speaker.manager.peripheralManager(responses, didReceiveWrite: overlapping)
        #expect(responses.take() == [.success] && speaker.received.count == 3 && speaker.errors.isEmpty)
    }

    @Test("refuses once a value that is not a message")
    func refused() throws {
        let speaker = self.testbed.speaker(nil)
        let responses = self.responses()
        let data = try PropertyListMessage.encode(["a": "b"])
        typealias Row = (requests: [CBATTRequest], results: [CBATTError.Code], errors: [BlueEarError])
        let rows: [Row] = [
            ([], [], []), ([self.central.request(Self.other, 0, data)], [.attributeNotFound], []),
            (
                [
                    self.central.request(Self.own, 0, data.prefix(20)),
                    self.central.request(Self.other, 20, data.dropFirst(20)),
                ],
                [.attributeNotFound], []
            ),
            ([self.central.request(Self.own, 1, data)], [.invalidOffset], []),
            (
                [
                    self.central.request(Self.own, 0, data.prefix(20)),
                    self.central.request(Self.own, 21, data.dropFirst(21)),
                ],
                [.invalidOffset], []
            ),
            ([self.central.request(Self.own, 0, Data("x".utf8))], [.invalidPdu], [.malformed]),
            ([self.central.request(Self.own, 0, nil)], [.invalidPdu], [.malformed]),
        ]
        for (number, row) in rows.enumerated() {
            speaker.errors = []
            speaker.manager.peripheralManager(responses, didReceiveWrite: row.requests)
            #expect(responses.take() == row.results && speaker.errors == row.errors, "row \(number)")
        }
        #expect(speaker.received.isEmpty)
    }

    @Test("reads a message from an offset up to its end")
    func read() throws {
        let speaker = self.testbed.speaker(["a": "b"])
        let responses = self.responses()
        let data = try PropertyListMessage.encode(["a": "b"])
        let rows: [(uuid: CBUUID, offset: Int, result: CBATTError.Code, value: Data?)] = [
            (Self.own, 0, .success, data), (Self.own, 7, .success, Data(data.dropFirst(7))),
            (Self.own, data.count, .success, Data()), (Self.own, data.count + 1, .invalidOffset, nil),
            (Self.other, 0, .attributeNotFound, nil),
        ]
        for row in rows {
            let request = self.central.request(row.uuid, row.offset)
            speaker.manager.peripheralManager(responses, didReceiveRead: request)
            #expect(responses.take() == [row.result] && request.value == row.value, "\(row.offset)")
        }
    }
}
