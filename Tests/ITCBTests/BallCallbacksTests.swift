// What the system reports to a ball outside of a conversation: its service and its advertisement, with and without an
// error, subscriptions to what is no answer, and the name under which it is heard.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("Callbacks to the ball")
struct BallCallbacksTests {
    private let testbed = Testbed()

    /// A ball that is heard, and its manager.
    private func ball() throws -> (ball: Ball, manager: CBPeripheralManager) {
        let ball = self.testbed.ball("Crystal")
        #expect(self.testbed.run { ball.steps.contains(.advertising(name: "Crystal")) })
        ball.steps = []
        return (ball, try #require(ball.sdk.peripheralManagerInstance))
    }

    @Test("A service or an advertisement that the system refuses is an error, and no step")
    func refusals() throws {
        let (ball, manager) = try self.ball()
        let service = ITCB_SDK_Peripheral._makeService()
        ball.sdk.peripheralManager(manager, didAdd: service, error: CBError(.connectionTimeout))
        #expect(ball.errors == ["coreBluetooth.CB6"] && ball.steps.isEmpty)
        ball.sdk.peripheralManagerDidStartAdvertising(manager, error: CBATTError(.unlikelyError))
        #expect(ball.errors == ["coreBluetooth.CB6", "coreBluetooth.ATT14"] && ball.steps.isEmpty)
        #expect(words(ball.sdk.error) == "coreBluetooth.ATT14")
        ball.sdk.peripheralManager(manager, didAdd: service, error: nil)
        ball.sdk.peripheralManagerDidStartAdvertising(manager, error: nil)
        #expect(ball.steps == [.serviceAdded, .advertising(name: "Crystal")] && ball.errors.count == 2)
    }

    @Test("A central that subscribes to the answer is known; one that subscribes to anything else is not")
    func subscriptions() throws {
        let (ball, manager) = try self.ball()
        let characteristics = try #require(ITCB_SDK_Peripheral._makeService().characteristics)
        let identifier = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
        let central = CBCentral(identifier: identifier, lock: ObjectLock())
        let name = identifier.uuidString
        ball.sdk.peripheralManager(manager, central: central, didSubscribeTo: characteristics[0])
        #expect(ball.steps.isEmpty && ball.sdk._centrals.isEmpty && ball.sdk.central == nil)
        ball.sdk.peripheralManager(manager, central: central, didSubscribeTo: characteristics[1])
        #expect(ball.steps == [.subscribed(central: name)])
        #expect(ball.sdk._centrals.map(\._isSubscribed) == [true] && ball.sdk.central?.uuid == name)
        ball.sdk.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristics[0])
        #expect(ball.steps.count == 1 && ball.sdk._centrals.map(\._isSubscribed) == [true])
        // An answer for which there was no room is sent when a subscriber has left.
        ball.sdk._centrals[0]._isOutOfRoom = true
        ball.sdk.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristics[1])
        #expect(ball.steps.last == .unsubscribed(central: name) && ball.sdk._centrals.map(\._isSubscribed) == [false])
        #expect(!ball.sdk._centrals[0]._isOutOfRoom && ball.errors.isEmpty)
        ball.sdk._centrals[0]._isOutOfRoom = true
        ball.sdk.peripheralManagerIsReady(toUpdateSubscribers: manager)
        #expect(!ball.sdk._centrals[0]._isOutOfRoom)
    }

    @Test("A ball is advertised anew where its name has changed, while it is heard")
    func name() throws {
        let (ball, manager) = try self.ball()
        ball.sdk.localName = "Crystal"
        self.testbed.run(.seconds(1))
        #expect(ball.steps.isEmpty && manager.isAdvertising)
        ball.sdk.localName = "Onyx"
        self.testbed.run(.seconds(1))
        #expect(ball.steps == [.advertising(name: "Onyx")] && manager.isAdvertising)
        manager.stopAdvertising()
        self.testbed.run(.seconds(1))
        ball.sdk.localName = "Opal"
        self.testbed.run(.seconds(1))
        #expect(ball.steps.count == 1 && !manager.isAdvertising)
    }
}
