// A central and a ball on one testbed: the usual beginning of a test.

import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// A central and a ball on a testbed of their own.
struct Conversation {
    let testbed: Testbed
    let ballAdapter: BluetoothAdapter
    let centralAdapter: BluetoothAdapter
    let ball: PeripheralApp
    let central: CentralApp

    init(settings: AirSettings = .instant, seed: UInt64 = 1, setUp: (PeripheralApp) -> Void = { $0.open() }) {
        self.testbed = Testbed(settings: settings, seed: seed)
        self.ballAdapter = self.testbed.adapter("Crystal")
        self.centralAdapter = self.testbed.adapter("Curious")
        self.ball = PeripheralApp(on: self.ballAdapter)
        self.central = CentralApp(on: self.centralAdapter)
        let (testbed, ball, central) = (self.testbed, self.ball, self.central)
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        setUp(ball)
        testbed.run(.milliseconds(1))
    }

    /// The ball as the central knows it.
    var peripheral: CBPeripheral {
        get throws { try #require(self.central.found.first) }
    }

    /// Scans until the ball is found.
    func find() throws -> CBPeripheral { try self.central.find(in: self.testbed) }

    /// Finds the ball, and asks for a connection while the ball is silent.
    func requestConnection() throws -> CBPeripheral {
        let peripheral = try self.find()
        self.central.manager.stopScan()
        self.ball.manager.stopAdvertising()
        self.testbed.run()
        self.central.manager.connect(peripheral)
        self.testbed.run()
        return peripheral
    }

    /// Scans and connects.
    func connect(options: [String: Any]? = nil) throws -> CBPeripheral {
        try self.central.connect(in: self.testbed, options: options)
    }

    /// Connects and discovers the ball's characteristics.
    func discover() throws -> (peripheral: CBPeripheral, question: CBCharacteristic, answer: CBCharacteristic) {
        let peripheral = try self.connect()
        let service = try peripheral.discover([IDs.service], in: self.testbed)
        return (peripheral, try service.characteristic(IDs.question), try service.characteristic(IDs.answer))
    }

    /// Another app of the central's device, and its own object for a peripheral that the first one has found.
    func otherApp(knowing peripheral: CBPeripheral) throws -> (app: CentralApp, peripheral: CBPeripheral) {
        let other = CentralApp(on: self.centralAdapter)
        self.testbed.run { other.manager.state == .poweredOn }
        return (other, try other.retrieve(peripheral))
    }
}
