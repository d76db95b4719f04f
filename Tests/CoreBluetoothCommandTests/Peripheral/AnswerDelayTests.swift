// Which requests to a described peripheral wait: those of a characteristic with a delay, with their first parts; all
// others are answered at once.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The delay of the answers of a described peripheral", .onRecord)
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
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        let world = World(seed: 1)
        let session = world.addDevice("peripheral").run {
            CoreBluetoothCommand.PeripheralSession.started("Safe", description)
        }
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        world.advance(by: .seconds(1))
        try testbed.perform("subscribe FFF1 --hex", on: connection)
        let attributes = session.attributes
        try #require(attributes.count == 3)
        let centrals = attributes[0].characteristic.subscribedCentrals ?? []
        let user = try #require(centrals.first)
        let rows: [(parts: [(index: Int, offset: Int)], isAtOnce: Bool)] = [
            ([], true), ([(0, 0)], true), ([(2, 0)], true), ([(0, 0), (2, 0)], true), ([(1, 0)], false),
            ([(0, 0), (1, 0)], false), ([(1, 0), (2, 0)], false), ([(1, 1)], true), ([(1, 20), (2, 0)], true),
        ]
        for (parts, isAtOnce) in rows {
            let requests = parts.map { part in
                CBATTRequest(
                    transaction: .unawaited,
                    central: user,
                    characteristic: attributes[part.index].characteristic,
                    offset: part.offset,
                    value: nil
                )
            }
            let count = Watched(0)
            session.afterDelay(of: requests) { count.update { $0 += 1 } }
            #expect(count.value == (isAtOnce ? 1 : 0), "\(parts)")
        }
        withExtendedLifetime(session) {}
    }
}
