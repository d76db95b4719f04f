// Advertising that the process before this one had begun, and that the controller refuses now.

import BluetoothHCI
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Restored advertising that is refused")
struct RefusedAdvertisingTests {
    private let testbed = Testbed()
    private let storage = MemoryStorage()

    /// Starts a process of the ball's device, with a controller that refuses to advertise or does not.
    private func start(isRefusing: Bool) -> (adapter: BluetoothAdapter, ball: PeripheralApp) {
        let source = BreakableSource(air: self.testbed.air)
        if isRefusing {
            let status = HCIErrorCode.commandDisallowed
            source.refused = [LESetAdvertisingEnable.opcode: status, LESetExtendedAdvertisingEnable.opcode: status]
        }
        let adapter = BluetoothAdapter(
            eventLoop: self.testbed.loop,
            configuration: BluetoothAdapter.Configuration(identity: "Crystal"),
            source: source,
            storage: self.storage
        )
        let ball = PeripheralApp(on: adapter, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "ball"])
        self.testbed.run { ball.manager.state == .poweredOn }
        self.testbed.run(.milliseconds(100))
        return (adapter, ball)
    }

    private func end(_ adapter: BluetoothAdapter) {
        adapter.kill()
        self.testbed.run(.milliseconds(10))
    }

    @Test("13.1 the app is told that restored advertising has failed, and it is not restored again")
    func refused() {
        let first = self.start(isRefusing: false)
        first.ball.open()
        self.testbed.run(.milliseconds(100))
        #expect(first.ball.manager.isAdvertising)
        self.end(first.adapter)
        let second = self.start(isRefusing: true)
        #expect(second.ball.calls == ["restore 0", "state 5", "advertising false CBErrorDomain 0"])
        #expect(second.ball.restored.first?.count == 2 && !second.ball.manager.isAdvertising)
        self.end(second.adapter)
        let third = self.start(isRefusing: false)
        #expect(third.ball.calls == ["restore 0", "state 5"] && !third.ball.manager.isAdvertising)
        let keys = third.ball.restored.first.map { Array($0.keys) }
        #expect(keys == [CBPeripheralManagerRestoredStateServicesKey])
        // The app may ask for it again.
        third.ball.advertise(name: "Crystal")
        self.testbed.run(.milliseconds(100))
        #expect(third.ball.calls.last == "advertising true")
    }

    @Test("13.1 restored advertising goes on without a report, and ends when the app says so")
    func accepted() {
        let first = self.start(isRefusing: false)
        first.ball.open()
        self.testbed.run(.milliseconds(100))
        self.end(first.adapter)
        let second = self.start(isRefusing: false)
        #expect(second.ball.calls == ["restore 0", "state 5"] && second.ball.manager.isAdvertising)
        second.ball.advertise(name: "Other")
        self.testbed.run(.milliseconds(100))
        #expect(second.ball.calls.last == "advertising true CBErrorDomain 9")
        second.ball.manager.stopAdvertising()
        self.testbed.run(.milliseconds(100))
        self.end(second.adapter)
        let third = self.start(isRefusing: false)
        #expect(third.ball.calls == ["restore 0", "state 5"] && !third.ball.manager.isAdvertising)
    }
}
