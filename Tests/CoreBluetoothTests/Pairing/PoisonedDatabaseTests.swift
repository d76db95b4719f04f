// A device that has the address of another one, and its Database Hash, which everybody can read, shows a central
// another database, in which a secret is at the handle of something public. The central pairs with the right device
// later.

import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Pairing: poisoned databases")
struct PoisonedDatabaseTests {
    /// A peripheral with something public and a secret, both of which can be written, and a central.
    private final class Setup {
        let testbed = Testbed()
        let peripheral: RestartableDevice
        let central: RestartableDevice
        let server: PeripheralApp
        let client: CentralApp
        let found: CBPeripheral

        init() throws {
            self.peripheral = RestartableDevice("Crystal", in: self.testbed)
            self.central = RestartableDevice("Curious", in: self.testbed)
            self.server = self.testbed.ball(on: self.peripheral.adapter)
            let secret = CBMutableCharacteristic(
                type: IDs.secret,
                properties: [.read, .write],
                value: nil,
                permissions: [.readEncryptionRequired, .writeEncryptionRequired]
            )
            let known = CBMutableCharacteristic(
                type: IDs.question,
                properties: [.read, .write],
                value: nil,
                permissions: [.readable, .writeable]
            )
            self.server.ball.characteristics = [known, secret]
            self.server.reading = Data([42])
            self.server.open()
            self.client = self.testbed.central(on: self.central.adapter)
            self.found = try self.client.connect(in: self.testbed)
        }

        /// What the app has of the service.
        func discover() throws -> (known: CBCharacteristic, secret: CBCharacteristic) {
            let service = try self.found.discover([IDs.service], in: self.testbed)
            return (try service.characteristic(IDs.question), try service.characteristic(IDs.secret))
        }

        func reconnect() {
            self.client.disconnect(self.found, in: self.testbed)
            self.client.connect(self.found, in: self.testbed)
        }

        /// The link ends, and the other device is there, with the secret at the handle of what is public.
        func poison() throws {
            self.client.disconnect(self.found, in: self.testbed)
            let identifier = self.found.identifier
            let isPoisoned = self.central.adapter.readEngine(in: self.testbed) { core -> Bool in
                guard let address = core.identities.record(for: identifier)?.address,
                    let cached = core.databaseCache.database(of: address), let identity = cached.identity,
                    let service = cached.services([IDs.service.value])?.first,
                    var characteristics = cached.characteristics(of: service.handles), characteristics.count == 2
                else { return false }
                let uuids = characteristics.map(\.uuid)
                (characteristics[0].uuid, characteristics[1].uuid) = (uuids[1], uuids[0])
                var database = RemoteDatabase(identity)
                database.learn([service], [IDs.service.value])
                database.learn(characteristics, of: service.handles)
                core.databaseCache.store(database, of: address)
                return true
            }
            #expect(isPoisoned == true)
            self.client.connect(self.found, in: self.testbed)
            self.client.calls = []
            self.client.errors = []
        }

        /// What was written to the peripheral, by what the app means.
        var written: [CBUUID] { self.server.requests.map(\.characteristic.uuid) }
    }

    @Test("BLESA by cache: after a pairing no value goes to a handle that a device before the pairing has shown")
    func poisoned() throws {
        let setup = try Setup()
        _ = try setup.discover()
        setup.testbed.run(.seconds(3))
        try setup.poison()
        let stale = try setup.discover()
        // At this handle is the secret, so the devices pair.
        setup.found.readValue(for: stale.known)
        setup.found.writeValue("secret".octets, for: stale.secret, type: .withResponse)
        setup.testbed.run(.seconds(5))
        #expect(setup.central.storage.bonds().count == 1)
        #expect(setup.client.calls.contains { $0.hasPrefix("modified") }, "\(setup.client.calls)")
        #expect(setup.client.errors.count == 2 && setup.server.written.isEmpty)
        // The app discovers anew, and reaches what it means.
        setup.server.requests = []
        let secret = try setup.discover().secret
        setup.found.writeValue("secret".octets, for: secret, type: .withResponse)
        setup.testbed.run(.seconds(1))
        #expect(setup.written == [IDs.secret] && setup.server.written == ["secret".octets])
        // So it is on the next link, with what is cached by now.
        setup.reconnect()
        setup.server.requests = []
        setup.found.writeValue("again".octets, for: try setup.discover().secret, type: .withResponse)
        setup.testbed.run(.seconds(1))
        #expect(setup.written == [IDs.secret])
    }

    @Test(
        "a pairing keeps what an app has discovered of the right device, and asks no discovery of it on the next link"
    )
    func right() throws {
        let setup = try Setup()
        let (_, secret) = try setup.discover()
        setup.client.calls = []
        setup.found.readValue(for: secret)
        setup.testbed.run(.seconds(5))
        #expect(setup.client.calls == ["value"] && setup.client.errors.isEmpty && secret.value == Data([42]))
        setup.found.writeValue("secret".octets, for: secret, type: .withResponse)
        setup.testbed.run(.seconds(1))
        #expect(setup.server.written == ["secret".octets])
        setup.reconnect()
        setup.testbed.run(.seconds(1))
        _ = setup.central.takeSent()
        _ = try setup.discover()
        #expect(setup.central.takeSent().filter { [0x06, 0x08, 0x10].contains($0) } == [], "it is cached")
    }

    @Test("a database that was learned over a link without encryption is not used with a bonded device")
    func levels() throws {
        let setup = try Setup()
        let (_, secret) = try setup.discover()
        setup.found.readValue(for: secret)
        setup.testbed.run(.seconds(5))
        // As another process of this device, or an earlier version, may have written it.
        try setup.poison()
        setup.server.requests = []
        setup.found.writeValue("secret".octets, for: try setup.discover().secret, type: .withResponse)
        setup.testbed.run(.seconds(1))
        #expect(setup.written == [IDs.secret] && setup.client.errors.isEmpty)
    }

    @Test(
        "Invalid Handle: a server that does not know a handle is discovered anew, and the app hears that it has changed"
    )
    func invalidHandle() throws {
        let talk = try ForeignConversation(ForeignPeripheral.hashedAttributes)
        let characteristic = try talk.discover()
        talk.testbed.run(.seconds(3))
        // Other firmware, with the hash of the one before: the value is behind the handle that is known.
        talk.foreign.attributes =
            talk.foreign.attributes.dropLast(2) + [
                .init(handle: 8, type: 0x2803, value: [0x02, 0x0A, 0x00, 0x37, 0x2A]),
                .init(handle: 10, type: 0x2A37, value: Array("new".utf8)),
            ]
        talk.foreign.attributes[6].end = 10
        talk.central.calls = []
        talk.peripheral.readValue(for: characteristic)
        talk.testbed.run(.seconds(3))
        #expect(talk.central.calls == ["value CBATTErrorDomain 1", "modified 180D"])
        talk.peripheral.readValue(for: try talk.discover())
        talk.testbed.run(.seconds(1))
        #expect(talk.central.values.last == "new")
    }

    @Test("Invalid Handle: a server that answers it to everything is discovered anew at most 16 times on a link")
    func invalidHandleForEver() throws {
        let talk = try ForeignConversation(ForeignPeripheral.hashedAttributes)
        let characteristic = try talk.discover()
        talk.testbed.run(.seconds(3))
        talk.foreign.onRequest = { $0[0] == 0x0A ? [0x01, 0x0A, 0x09, 0x00, 0x01] : nil }
        let count = talk.foreign.requests.count
        for _ in 0..<40 {
            talk.peripheral.readValue(for: characteristic)
            talk.testbed.run(.seconds(1))
        }
        let discoveries = talk.foreign.requests.dropFirst(count).count { $0[0] == 0x10 || $0[0] == 0x06 }
        #expect(discoveries <= 4 * RemoteServer.validationLimit)
        #expect(!talk.central.calls.contains { $0.hasPrefix("modified") })
    }
}
