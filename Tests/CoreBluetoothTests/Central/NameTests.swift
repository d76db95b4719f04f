import BluetoothHCI
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("5.6 Names")
struct NameTests {
    /// A ball whose GAP Device Name is not what it advertises, and a central whose packets are looked at.
    private struct Scene {
        let room = Room()
        let source: BreakableSource
        let central: CentralApp
        var ball: PeripheralApp
        var adapter: BluetoothAdapter

        init(deviceName: String) {
            let room = self.room
            self.source = BreakableSource(air: room.air)
            self.central = CentralApp(on: self.source.adapter("Curious", room))
            self.adapter = BluetoothAdapter(
                air: room.air,
                configuration: .init(deviceName: deviceName, identity: "Crystal")
            )
            self.ball = PeripheralApp(on: self.adapter)
            let (central, ball) = (self.central, self.ball)
            room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
            ball.open()
        }

        func connect() throws -> CBPeripheral {
            let central = self.central
            if central.found.isEmpty {
                central.manager.scanForPeripherals(withServices: [IDs.service])
                try #require(self.room.run { !central.found.isEmpty })
                central.manager.stopScan()
            }
            let peripheral = central.found[0]
            central.manager.connect(peripheral)
            try #require(self.room.run { peripheral.state == .connected })
            return peripheral
        }
    }

    @Test("5.6 the GAP Device Name takes the place of the advertised one, and the change is told")
    func deviceName() throws {
        let scene = Scene(deviceName: "Kristallkugel")
        let peripheral = try scene.connect()
        #expect(peripheral.name == "Crystal")
        #expect(scene.room.run { scene.central.calls.last == "name Kristallkugel" })
        #expect(peripheral.name == "Kristallkugel")
        // It is cached, and what is advertised changes it no more.
        let identifier = peripheral.identifier
        scene.central.manager.cancelPeripheralConnection(peripheral)
        scene.room.run { peripheral.state == .disconnected }
        scene.central.manager.scanForPeripherals(withServices: nil)
        scene.room.run(.seconds(1))
        #expect(scene.central.calls.last == "discover Kristallkugel")
        #expect(scene.central.advertisements.last?[CBAdvertisementDataLocalNameKey] as? String == "Crystal")
        scene.central.found = []
        let again = scene.central.manager.retrievePeripherals(withIdentifiers: [identifier])
        #expect(again.first?.name == "Kristallkugel")
    }

    @Test("5.6 a name that has changed is told after the next connection; the same name is not")
    func change() throws {
        var scene = Scene(deviceName: "Before")
        let peripheral = try scene.connect()
        scene.room.run(.seconds(2))
        #expect(scene.central.count("name Before") == 1)
        scene.central.manager.cancelPeripheralConnection(peripheral)
        scene.room.run { peripheral.state == .disconnected }
        _ = try scene.connect()
        scene.room.run(.seconds(2))
        #expect(scene.central.count("name Before") == 1)

        // The ball's device starts anew under another name.
        scene.adapter.setPowered(false)
        scene.room.run { peripheral.state == .disconnected }
        scene.adapter = BluetoothAdapter(
            air: scene.room.air,
            configuration: .init(deviceName: "After", identity: "Crystal")
        )
        scene.ball = PeripheralApp(on: scene.adapter)
        let ball = scene.ball
        scene.room.run { ball.manager.state == .poweredOn }
        ball.open()
        _ = try scene.connect()
        #expect(scene.room.run { scene.central.calls.last == "name After" })
        #expect(peripheral.name == "After")
    }

    @Test("5.6 the name is read when the app is idle, not among its own procedures")
    func unobtrusive() throws {
        let scene = Scene(deviceName: "Kristallkugel")
        var nameReads = 0
        scene.source.onPacket = { packet, isFromHost in
            guard isFromHost, packet.kind == .aclData else { return }
            let octets = Array(packet.bytes.readableBytesView)
            // Read By Type of 0x2A00, behind the headers of HCI and L2CAP.
            if octets.count == 16, octets[9] == 0x08, octets.suffix(2) == [0x00, 0x2A] { nameReads += 1 }
        }
        let peripheral = try scene.connect()
        let question = try peripheral.discover(nil, in: scene.room).characteristic(IDs.question)
        scene.ball.onRequests = { _ in }
        peripheral.writeValue("Hm?".octets, for: question, type: .withResponse)
        scene.room.run(.seconds(10))
        #expect(nameReads == 0)
        scene.ball.manager.respond(to: scene.ball.requests[0], withResult: .success)
        scene.room.run(.seconds(3))
        #expect(scene.central.count("wrote") == 1)
        #expect(nameReads == 1)
        #expect(peripheral.name == "Kristallkugel")
        scene.room.run(.seconds(60))
        #expect(nameReads == 1)
    }

    @Test("5.6 a device without a name keeps the one that it advertises")
    func empty() throws {
        let scene = Scene(deviceName: "")
        let peripheral = try scene.connect()
        scene.room.run(.seconds(5))
        #expect(peripheral.name == "Crystal")
        #expect(scene.central.calls.allSatisfy { !$0.hasPrefix("name") })
    }

    @Test("6.4 5.6 a link that is over before its name was read leaves nothing behind")
    func shortLink() throws {
        let scene = Scene(deviceName: "Kristallkugel")
        let peripheral = try scene.connect()
        scene.central.manager.cancelPeripheralConnection(peripheral)
        scene.room.run(.seconds(5))
        #expect(peripheral.name == "Crystal")
        #expect(scene.central.calls.last == "disconnect 0")
    }
}
