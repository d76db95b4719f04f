import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5.6 Names")
struct NameTests {
    /// A ball with a GAP Device Name, and a central whose packets are observed.
    private struct Setup {
        let testbed = Testbed()
        let source: BreakableSource
        let central: CentralApp
        let ball: PeripheralApp
        let adapter: BluetoothAdapter

        init() {
            let testbed = self.testbed
            self.source = BreakableSource(air: testbed.air)
            self.central = testbed.central(on: self.source.adapter("Curious", testbed))
            self.adapter = testbed.adapter("Crystal") { $0.deviceName = "Kristallkugel" }
            self.ball = testbed.ball(on: self.adapter)
            self.ball.open()
        }

        func connect() throws -> CBPeripheral {
            try self.central.connect(in: self.testbed)
        }
    }

    @Test("5.6 replaces the advertised name by the GAP Device Name, and keeps it")
    func deviceName() throws {
        let setup = Setup()
        let peripheral = try setup.connect()
        #expect(peripheral.name == "Crystal")
        #expect(setup.testbed.run { setup.central.calls.last == "name Kristallkugel" })
        #expect(peripheral.name == "Kristallkugel")
        let identifier = peripheral.identifier
        setup.central.disconnect(peripheral, in: setup.testbed)
        setup.central.manager.scanForPeripherals(withServices: nil)
        setup.testbed.run(.seconds(1))
        #expect(setup.central.calls.last == "discover Kristallkugel")
        #expect(setup.central.advertisements.last?[CBAdvertisementDataLocalNameKey] as? String == "Crystal")
        setup.central.found = []
        let again = setup.central.manager.retrievePeripherals(withIdentifiers: [identifier])
        #expect(again.first?.name == "Kristallkugel")
    }

    @Test("5.6 reads the name while the app is idle")
    func unobtrusive() throws {
        let setup = Setup()
        var nameReads = 0
        setup.source.onPacket = { packet, isFromHost in
            guard isFromHost, packet.kind == .aclData else { return }
            let octets = Array(packet.bytes.readableBytesView)
            // Read By Type of 0x2A00, behind the headers of HCI and L2CAP.
            if octets.count == 16, octets[9] == 0x08, octets.suffix(2) == [0x00, 0x2A] { nameReads += 1 }
        }
        let peripheral = try setup.connect()
        let question = try peripheral.discover(nil, in: setup.testbed).characteristic(IDs.question)
        setup.ball.onRequests = { _ in }
        peripheral.writeValue("Hm?".octets, for: question, type: .withResponse)
        setup.testbed.run(.seconds(10))
        #expect(nameReads == 0)
        setup.ball.manager.respond(to: setup.ball.requests[0], withResult: .success)
        setup.testbed.run(.seconds(3))
        #expect(setup.central.count("wrote") == 1)
        #expect(nameReads == 1)
        #expect(peripheral.name == "Kristallkugel")
        setup.testbed.run(.seconds(60))
        #expect(nameReads == 1)
    }

    @Test("5.6 reads the name for the next app on a link if the first one left too early")
    func nextOnSameLink() throws {
        let setup = Setup()
        let peripheral = try setup.connect()
        let question = try peripheral.discover(nil, in: setup.testbed).characteristic(IDs.question)
        peripheral.writeValue("Hm?".octets, for: question, type: .withResponse)
        try #require(setup.testbed.run { !setup.ball.requests.isEmpty })
        // The ball's device is a central on the same link, too, and leaves before it asks for the name.
        let other = setup.testbed.central(on: setup.adapter)
        let identifier = setup.ball.requests[0].central.identifier
        let curious = try #require(other.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        other.connect(curious, in: setup.testbed)
        other.disconnect(curious, in: setup.testbed)
        setup.testbed.run(.seconds(3))
        #expect(peripheral.state == .connected)
        #expect(!other.calls.contains { $0.hasPrefix("name") })
        other.connect(curious, in: setup.testbed)
        setup.testbed.run(.seconds(3))
        #expect(other.calls.count { $0.hasPrefix("name") } == 1)
    }
}
