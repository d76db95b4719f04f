// A central with one ball or two, and a ball of an app with a policy: the beginning of most tests.

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

    /// Connects, discovers the ball's characteristics and subscribes to the answer.
    func subscribe() throws -> (peripheral: CBPeripheral, question: CBCharacteristic, answer: CBCharacteristic) {
        let found = try self.discover()
        try found.peripheral.subscribe(to: found.answer, in: self.testbed)
        return found
    }

    /// Updates the ball's answer.
    @discardableResult
    func update(_ text: String) -> Bool {
        self.ball.manager.updateValue(text.octets, for: self.ball.answer, onSubscribedCentrals: nil)
    }

    /// The ball's Bluetooth goes off until a peripheral that is connected waits for it, and on again.
    func interrupt(_ peripheral: CBPeripheral) throws {
        self.ballAdapter.setPowered(false)
        try #require(self.testbed.run { peripheral.state == .connecting })
        self.ballAdapter.setPowered(true)
    }

    /// Another app of the central's device, and its own object for a peripheral that the first one has found.
    func otherApp(knowing peripheral: CBPeripheral) throws -> (app: CentralApp, peripheral: CBPeripheral) {
        let other = self.testbed.central(on: self.centralAdapter)
        return (other, try other.retrieve(peripheral))
    }

    /// Another app of the central's device, and its own object for a peripheral, to which it has connected, too.
    func otherApp(connectedTo peripheral: CBPeripheral) throws -> (app: CentralApp, peripheral: CBPeripheral) {
        let other = try self.otherApp(knowing: peripheral)
        other.app.connect(other.peripheral, in: self.testbed)
        return other
    }
}

/// A central that has found two balls.
struct TwoBalls {
    let talk = Conversation()
    /// The app of the second ball.
    let second: PeripheralApp
    /// The conversation's ball, as the central knows it.
    let first: CBPeripheral
    /// The second ball, as the central knows it.
    let other: CBPeripheral

    init() throws {
        let talk = self.talk
        self.second = talk.testbed.ball(on: talk.testbed.adapter("Second"))
        self.second.open(name: "Second")
        talk.central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(talk.testbed.run { talk.central.found.count == 2 })
        talk.central.manager.stopScan()
        self.first = try #require(talk.central.found.first { $0.name == "Crystal" })
        self.other = try #require(talk.central.found.first { $0.name == "Second" })
    }

    /// Connects to the first ball, and asks for a connection with the other one, which is silent by then.
    func connectFirst() {
        self.second.manager.stopAdvertising()
        self.talk.testbed.run()
        self.talk.central.connect(self.first, in: self.talk.testbed)
        self.talk.central.manager.connect(self.other)
        self.talk.testbed.run(.seconds(2))
    }
}

/// A ball of an app with a policy, and a central, each on a device of its own.
struct ManagedBall {
    let testbed = Testbed()
    let policy = PolicyStub("ball")
    let adapter: BluetoothAdapter
    let ball: PeripheralApp
    let central: CentralApp

    /// Both are powered on.
    init() {
        self.adapter = self.testbed.adapter("Crystal")
        self.ball = self.testbed.ball(on: self.adapter, of: self.policy)
        self.central = self.testbed.central(on: self.testbed.adapter("Curious"))
    }

    /// The ball is open, and the central has subscribed to its answer.
    func subscribe() throws {
        self.ball.open()
        self.testbed.run(.milliseconds(1))
        try self.central.connect(in: self.testbed).subscribeToAnswer(in: self.testbed)
    }
}
