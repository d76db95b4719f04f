// A central and a ball that have met: the usual beginning of a test.

import BluetoothAir
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CoreBluetooth

/// A central and a ball in a room of their own.
struct Conversation {
    let room: Room
    let ballAdapter: BluetoothAdapter
    let centralAdapter: BluetoothAdapter
    let ball: PeripheralApp
    let central: CentralApp

    init(model: AirModel = .instant, seed: UInt64 = 1, setUp: (PeripheralApp) -> Void = { $0.open() }) {
        self.room = Room(model: model, seed: seed)
        self.ballAdapter = self.room.adapter("Crystal")
        self.centralAdapter = self.room.adapter("Curious")
        self.ball = PeripheralApp(on: self.ballAdapter)
        self.central = CentralApp(on: self.centralAdapter)
        let (room, ball, central) = (self.room, self.ball, self.central)
        room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        setUp(ball)
        room.run(.milliseconds(1))
    }

    /// The ball as the central knows it.
    var peripheral: CBPeripheral {
        get throws { try #require(self.central.found.first) }
    }

    /// Scans and connects.
    func connect(options: [String: Any]? = nil) throws -> CBPeripheral {
        self.central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(self.room.run { !self.central.found.isEmpty })
        self.central.manager.stopScan()
        let peripheral = try self.peripheral
        self.central.manager.connect(peripheral, options: options)
        try #require(self.room.run { peripheral.state == .connected })
        return peripheral
    }

    /// Connects and discovers the ball's characteristics.
    func discover() throws -> (peripheral: CBPeripheral, question: CBCharacteristic, answer: CBCharacteristic) {
        let peripheral = try self.connect()
        peripheral.discoverServices([IDs.service])
        try #require(self.room.run { peripheral.services != nil })
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: service)
        try #require(self.room.run { service.characteristics != nil })
        return (
            peripheral, try #require(service.characteristics?.first { $0.uuid == IDs.question }),
            try #require(service.characteristics?.first { $0.uuid == IDs.answer })
        )
    }
}

/// Notes what the module says on standard error.
final class Lines: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    var all: [String] { self.lines.withLockedValue { $0 } }

    /// Runs `body` while lines come here.
    func listen<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Misuse.$listener.withValue({ line in self.lines.withLockedValue { $0.append(line) } }, operation: body)
    }
}
