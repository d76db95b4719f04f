// A described peripheral with a user of its own, for tests that call its session with requests, also with those that no
// central of ours sends.

import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

/// The peripheral "Safe", whose characteristic FFF1 the tool has subscribed to.
@MainActor
struct SubscribedPeripheral {
    let world: World
    let session: CoreBluetoothCommand.AdvertiseSession
    /// The central that has subscribed to its first characteristic.
    let user: CBCentral
    private let testbed: ToolTestbed

    init(_ json: String, _ print: @escaping @Sendable (String) -> Void = { _ in }) throws {
        let world = World(seed: 1)
        let session = try CoreBluetoothCommand.AdvertiseSession.started(json, in: world, print)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Safe")
        world.advance(by: .seconds(1))
        try testbed.perform("subscribe FFF1 --hex", on: connection)
        let first = try #require(session.attributes.first)
        let centrals = first.characteristic.subscribedCentrals ?? []
        self.user = try #require(centrals.first)
        (self.world, self.session, self.testbed) = (world, session, testbed)
    }

    /// A request of its user, whose answer is in the request alone.
    func request(_ characteristic: CBMutableCharacteristic, _ offset: Int, _ value: Data? = nil) -> CBATTRequest {
        CBATTRequest(
            transaction: .unawaited,
            central: user,
            characteristic: characteristic,
            offset: offset,
            value: value
        )
    }
}
