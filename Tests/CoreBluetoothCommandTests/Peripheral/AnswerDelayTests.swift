// Which requests to a described peripheral wait: those of a characteristic with a delay, with their first parts; all
// others are answered at once.

import Fixtures
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The delay of the answers of a described peripheral")
@MainActor
struct AnswerDelayTests {
    @Test("A request waits where its first part is of a characteristic with a delay of more than nothing")
    func delays() throws {
        let json = """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write", "notify"], "delay": 0 },
                { "uuid": "FFF2", "properties": ["read", "write"], "delay": 60 },
                { "uuid": "FFF3", "properties": ["read", "write"] } ] } ] }
            """
        let peripheral = try SubscribedPeripheral(json)
        let attributes = peripheral.session.attributes
        try #require(attributes.count == 3)
        let rows: [(parts: [(index: Int, offset: Int)], isAtOnce: Bool)] = [
            ([], true), ([(0, 0)], true), ([(2, 0)], true), ([(0, 0), (2, 0)], true), ([(1, 0)], false),
            ([(0, 0), (1, 0)], false), ([(1, 0), (2, 0)], false), ([(1, 1)], true), ([(1, 20), (2, 0)], true),
        ]
        for (parts, isAtOnce) in rows {
            let requests = parts.map { part in
                peripheral.request(attributes[part.index].characteristic, part.offset)
            }
            let count = Watched(0)
            peripheral.session.afterDelay(of: requests) { count.update { $0 += 1 } }
            #expect(count.value == (isAtOnce ? 1 : 0), "\(parts)")
        }
        withExtendedLifetime(peripheral) {}
    }
}
