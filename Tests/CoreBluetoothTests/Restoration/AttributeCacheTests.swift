import BluetoothAir
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7.13 What is known of a peripheral")
struct AttributeCacheTests {
    /// Discovers everything of a connected ball and returns the calls.
    private func discover(_ lives: Lives, _ peripheral: CBPeripheral) throws -> [String] {
        lives.central.calls = []
        peripheral.discoverServices([IDs.service])
        try #require(lives.room.run { peripheral.services != nil })
        let service = try #require(peripheral.services?.first)
        peripheral.discoverIncludedServices(nil, for: service)
        peripheral.discoverCharacteristics([IDs.answer], for: service)
        peripheral.discoverCharacteristics(nil, for: service)
        try #require(lives.room.run { service.characteristics?.count == 2 })
        for characteristic in service.characteristics ?? [] { peripheral.discoverDescriptors(for: characteristic) }
        try #require(lives.room.run { service.characteristics?.last?.descriptors != nil })
        return lives.central.calls
    }

    @Test("7.13 a cached reconnect costs one Database Hash read and no discovery, with the same callbacks")
    func reconnect() throws {
        let lives = Lives()
        let peripheral = try lives.connect()
        let calls = try self.discover(lives, peripheral)
        #expect(lives.curious.takeSent().count > 10)
        lives.central.manager.cancelPeripheralConnection(peripheral)
        #expect(lives.room.run { peripheral.state == .disconnected })
        lives.central.manager.connect(peripheral)
        #expect(lives.room.run { peripheral.state == .connected })
        #expect(peripheral.services == nil)
        #expect(try self.discover(lives, peripheral) == calls)
        // The MTU, the hash; then, since a server forgets them of a client without a bond, the subscription to Service
        // Changed and the features of the client.
        #expect(lives.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
        // What was found works.
        let answer = try #require(peripheral.services?.first?.characteristics?.last)
        peripheral.setNotifyValue(true, for: answer)
        #expect(lives.room.run { answer.isNotifying })
        lives.ball.manager.updateValue("warm".octets, for: lives.ball.answer, onSubscribedCentrals: nil)
        #expect(lives.room.run { lives.central.values == ["warm"] })
        #expect(lives.curious.takeSent() == [0x12])
    }

    @Test("7.13 the next process knows it, too")
    func nextProcess() throws {
        var lives = Lives()
        let peripheral = try lives.connect()
        let identifier = peripheral.identifier
        let calls = try self.discover(lives, peripheral)
        lives.restartCentral([:])
        lives.room.run { [central = lives.central] in central.manager.state == .poweredOn }
        let again = try #require(lives.central.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        again.delegate = lives.central
        lives.central.manager.connect(again)
        #expect(lives.room.run { again.state == .connected })
        #expect(try self.discover(lives, again) == calls)
        #expect(lives.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
    }

    @Test("7.13 only what was asked for is known: the rest is asked of the peripheral, and known from then on")
    func partly() throws {
        let lives = Lives()
        let peripheral = try lives.connect()
        peripheral.discoverServices([IDs.service])
        #expect(lives.room.run { peripheral.services?.count == 1 })
        func reconnect() {
            lives.central.manager.cancelPeripheralConnection(peripheral)
            lives.room.run { peripheral.state == .disconnected }
            lives.central.manager.connect(peripheral)
            lives.room.run { peripheral.state == .connected }
            lives.room.run(.milliseconds(10))
            _ = lives.curious.takeSent()
        }
        reconnect()
        peripheral.discoverServices([IDs.service, IDs.other])
        #expect(lives.room.run { lives.central.count("services 1") == 2 })
        // Two questions for the one that is there, one for the other.
        #expect(lives.curious.takeSent() == [0x06, 0x06, 0x06])
        reconnect()
        peripheral.discoverServices([IDs.other])
        #expect(lives.room.run { lives.central.count("services 0") == 1 })
        #expect(lives.curious.takeSent() == [])
        peripheral.discoverServices(nil)
        #expect(lives.room.run { lives.central.count("services 1") == 3 })
        #expect(lives.curious.takeSent().isEmpty == false)
        reconnect()
        peripheral.discoverServices(nil)
        #expect(lives.room.run { lives.central.count("services 1") == 4 })
        #expect(lives.curious.takeSent() == [])
    }

    @Test("7.13 a peripheral that changed between two links is discovered anew")
    func changedBetween() throws {
        let lives = Lives()
        let peripheral = try lives.connect()
        _ = try self.discover(lives, peripheral)
        lives.central.manager.cancelPeripheralConnection(peripheral)
        lives.room.run { peripheral.state == .disconnected }
        lives.ball.manager.remove(lives.ball.ball)
        lives.ball.manager.add(CBMutableService(type: IDs.other, primary: true))
        lives.ball.manager.add(lives.ball.ball)
        lives.room.run(.milliseconds(10))
        _ = lives.curious.takeSent()
        lives.central.manager.connect(peripheral)
        #expect(lives.room.run { peripheral.state == .connected })
        peripheral.discoverServices(nil)
        #expect(lives.room.run { peripheral.services?.map(\.uuid) == [IDs.other, IDs.service] })
        let service = try #require(peripheral.services?.last)
        peripheral.discoverCharacteristics(nil, for: service)
        #expect(lives.room.run { service.characteristics?.count == 2 })
        lives.ball.reading = "here".octets
        peripheral.readValue(for: try #require(service.characteristics?.last))
        #expect(lives.room.run { lives.central.values == ["here"] })
        // Now that is what is known.
        lives.central.manager.cancelPeripheralConnection(peripheral)
        lives.room.run { peripheral.state == .disconnected }
        lives.central.manager.connect(peripheral)
        lives.room.run { peripheral.state == .connected }
        lives.room.run(.milliseconds(10))
        _ = lives.curious.takeSent()
        peripheral.discoverServices(nil)
        #expect(lives.room.run { peripheral.services?.map(\.uuid) == [IDs.other, IDs.service] })
        #expect(lives.curious.takeSent() == [])
    }

    @Test("7.12 7.13 a change during a link that began with what was known is noticed, and nothing old is used")
    func changedDuring() throws {
        let lives = Lives()
        let peripheral = try lives.connect()
        _ = try self.discover(lives, peripheral)
        lives.central.manager.cancelPeripheralConnection(peripheral)
        lives.room.run { peripheral.state == .disconnected }
        lives.central.manager.connect(peripheral)
        lives.room.run { peripheral.state == .connected }
        _ = try self.discover(lives, peripheral)
        lives.ball.manager.remove(lives.ball.ball)
        #expect(lives.room.run { lives.central.calls.last == "modified \(IDs.service.uuidString)" })
        peripheral.discoverServices(nil)
        #expect(lives.room.run { lives.central.calls.last == "services 0" })
        lives.ball.manager.add(CBMutableService(type: IDs.other, primary: true))
        lives.ball.manager.add(lives.ball.ball)
        lives.room.run(.milliseconds(100))
        peripheral.discoverServices(nil)
        #expect(lives.room.run { peripheral.services?.map(\.uuid) == [IDs.other, IDs.service] })
        // The next link knows the new one.
        lives.central.manager.cancelPeripheralConnection(peripheral)
        lives.room.run { peripheral.state == .disconnected }
        _ = lives.curious.takeSent()
        lives.central.manager.connect(peripheral)
        lives.room.run { peripheral.state == .connected }
        peripheral.discoverServices(nil)
        #expect(lives.room.run { peripheral.services?.count == 2 })
        #expect(lives.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
    }

    @Test("7.13 a damaged cache is set aside, and the peripheral discovered")
    func damaged() throws {
        var lives = Lives()
        let peripheral = try lives.connect()
        let calls = try self.discover(lives, peripheral)
        let name = try #require(lives.curious.storage.names.first { $0.hasPrefix("attributes-") })
        let whole = try #require(try lives.curious.storage.read(name))
        for text in ["", "{", String(decoding: whole.dropLast(9), as: UTF8.self), "[]", #"{"version":9}"#] {
            lives.curious.adapter.kill()
            lives.room.loop.run()
            try lives.curious.storage.write(Data(text.utf8), to: name)
            Lines().listen {
                lives.restartCentral()
                lives.room.run { [central = lives.central] in central.count("connect 2") == 1 }
            }
            let restored = try #require(lives.central.found.first)
            lives.central.manager.cancelPeripheralConnection(restored)
            lives.room.run { restored.state == .disconnected }
            lives.central.manager.connect(restored)
            lives.room.run { restored.state == .connected }
            #expect(try self.discover(lives, restored) == calls, "\(text)")
        }
    }
}
