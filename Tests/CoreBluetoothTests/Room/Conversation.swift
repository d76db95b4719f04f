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

    init(model: AirSettings = .instant, seed: UInt64 = 1, setUp: (PeripheralApp) -> Void = { $0.open() }) {
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

    /// Scans until the ball is found.
    func find() throws -> CBPeripheral { try self.central.find(in: self.room) }

    /// Scans and connects.
    func connect(options: [String: Any]? = nil) throws -> CBPeripheral {
        try self.central.connect(in: self.room, options: options)
    }

    /// Connects and discovers the ball's characteristics.
    func discover() throws -> (peripheral: CBPeripheral, question: CBCharacteristic, answer: CBCharacteristic) {
        let peripheral = try self.connect()
        let service = try peripheral.discover([IDs.service], in: self.room)
        return (peripheral, try service.characteristic(IDs.question), try service.characteristic(IDs.answer))
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
