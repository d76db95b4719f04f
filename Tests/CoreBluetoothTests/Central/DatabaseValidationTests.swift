// A peripheral whose database never stays as it is.

import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.13 Validation of a peripheral's database", .adaptersOnRecord)
struct DatabaseValidationTests {
    /// The Generic Attribute Service with Service Changed and a Database Hash, and another service.
    private static let attributes = [
        ForeignPeripheral.Attribute(handle: 1, type: 0x2800, value: [0x01, 0x18], end: 6),
        ForeignPeripheral.Attribute(handle: 2, type: 0x2803, value: [0x20, 0x03, 0x00, 0x05, 0x2A]),
        ForeignPeripheral.Attribute(handle: 3, type: 0x2A05, value: []),
        ForeignPeripheral.Attribute(handle: 4, type: 0x2902, value: [0, 0]),
        ForeignPeripheral.Attribute(handle: 5, type: 0x2803, value: [0x02, 0x06, 0x00, 0x2A, 0x2B]),
        ForeignPeripheral.Attribute(handle: 6, type: 0x2B2A, value: Array(repeating: 7, count: 16)),
        ForeignPeripheral.Attribute(handle: 7, type: 0x2800, value: [0x0D, 0x18], end: 9),
        ForeignPeripheral.Attribute(handle: 8, type: 0x2803, value: [0x02, 0x09, 0x00, 0x37, 0x2A]),
        ForeignPeripheral.Attribute(handle: 9, type: 0x2A37, value: Array("beat".utf8)),
    ]

    @Test("A4 a server that reports a change in answer to our subscription is not asked without end")
    func endlessChange() throws {
        let testbed = Testbed()
        let foreign = ForeignPeripheral(in: testbed, Self.attributes)
        foreign.onRequest = { [unowned foreign] request in
            guard request[0] == 0x12, request[1] == 4 else { return nil }
            foreign.push([0x1D, 0x03, 0x00, 0x01, 0x00, 0xFF, 0xFF])
            return nil
        }
        let central = CentralApp(on: testbed.adapter("Curious"))
        testbed.run { central.manager.state == .poweredOn }
        let peripheral = try central.connect(in: testbed, services: nil)
        testbed.run(.seconds(5))
        let count = foreign.requests.count
        #expect(count < 500)
        testbed.run(.seconds(35))
        #expect(foreign.requests.count <= count + 2, "the name is read, and nothing else")
        #expect(foreign.requests.count { $0[0] == 0x12 && $0[1] == 4 } == 1, "subscribed once")
        #expect(foreign.requests.count(where: Self.readsHash) == 2, "the hash alone is read again")
        // The app can use it all the same.
        let service = try peripheral.discover(nil, in: testbed)
        let characteristic = try #require(service.characteristics?.first)
        peripheral.readValue(for: characteristic)
        #expect(testbed.run { central.values == ["beat"] })
    }

    @Test("A4 a database that changes again and again is validated 16 times on a link, and anew on the next one")
    func validationLimit() throws {
        let testbed = Testbed()
        let foreign = ForeignPeripheral(in: testbed, Self.attributes)
        let central = CentralApp(on: testbed.adapter("Curious"))
        testbed.run { central.manager.state == .poweredOn }
        let peripheral = try central.connect(in: testbed, services: nil)
        testbed.run(.seconds(3))
        func readCount() -> Int { foreign.requests.count(where: Self.readsHash) }
        func change() {
            foreign.push([0x1D, 0x03, 0x00, 0x07, 0x00, 0x09, 0x00])
            testbed.run(.seconds(1))
        }
        #expect(readCount() == 1)
        for count in 1...20 {
            change()
            #expect(readCount() == min(1 + count, Peer.validationLimit), "\(count)")
            #expect(central.count("modified ") == count)
        }
        central.disconnect(peripheral, in: testbed)
        central.connect(peripheral, in: testbed)
        testbed.run(.seconds(3))
        #expect(readCount() == Peer.validationLimit + 1)
        change()
        #expect(readCount() == Peer.validationLimit + 2)
    }

    /// Whether a request reads the Database Hash.
    private static func readsHash(_ request: [UInt8]) -> Bool {
        request[0] == 0x08 && request.suffix(2) == [0x2A, 0x2B]
    }

    /// A central that has discovered a foreign peripheral, whose next reads are refused with Database Out Of Sync.
    private struct Outdated {
        let testbed = Testbed()
        let foreign: ForeignPeripheral
        let central: CentralApp
        let peripheral: CBPeripheral
        let characteristic: CBCharacteristic

        /// - Parameters:
        ///   - refusals: How many reads are refused.
        ///   - change: The handles that the server reports as changed before it refuses; `nil` where it reports none.
        ///   - hash: What the Database Hash consists of then.
        init(refusals: Int, change: [UInt8]?, hash: UInt8) throws {
            let foreign = ForeignPeripheral(in: self.testbed, DatabaseValidationTests.attributes)
            self.foreign = foreign
            let central = CentralApp(on: self.testbed.adapter("Curious"))
            self.central = central
            self.testbed.run { central.manager.state == .poweredOn }
            self.peripheral = try central.connect(in: self.testbed, services: nil)
            let service = try self.peripheral.discover(nil, in: self.testbed)
            self.characteristic = try #require(service.characteristics?.first)
            self.testbed.run(.seconds(3))
            var left = refusals
            foreign.onRequest = { [unowned foreign] request in
                guard request[0] == 0x0A, left > 0 else { return nil }
                left -= 1
                foreign.attributes[5].value = Array(repeating: hash, count: 16)
                if let change { foreign.push([0x1D, 0x03, 0x00] + change) }
                return [0x01, 0x0A, 0x09, 0x00, 0x12]
            }
            central.calls = []
        }

        /// The reads of the value.
        var readCount: Int { self.foreign.requests.count { $0 == [0x0A, 0x09, 0x00] } }
    }

    @Test("A5 a request of an untouched service is repeated after the hash was read, before what was asked for later")
    func repeated() throws {
        let setup = try Outdated(refusals: 1, change: [0x0A, 0x00, 0x0F, 0x00], hash: 8)
        let count = setup.foreign.requests.count
        setup.peripheral.readValue(for: setup.characteristic)
        setup.peripheral.writeValue("beaten".octets, for: setup.characteristic, type: .withResponse)
        #expect(setup.testbed.run { setup.central.calls.last == "wrote" })
        #expect(setup.central.calls == ["modified ", "value", "wrote"])
        #expect(setup.central.values == ["beat"])
        let requests = setup.foreign.requests[count...]
        let hash = try #require(requests.firstIndex(where: Self.readsHash))
        let second = try #require(requests.lastIndex { $0 == [0x0A, 0x09, 0x00] })
        #expect(hash < second)
        #expect(setup.readCount == 2)
    }

    @Test("A5 a request is repeated where the database turns out to be the same")
    func unchanged() throws {
        let setup = try Outdated(refusals: 1, change: nil, hash: 7)
        setup.peripheral.readValue(for: setup.characteristic)
        setup.testbed.run(.seconds(1))
        #expect(setup.central.calls == ["value"])
        #expect(setup.readCount == 2)
    }

    @Test("A5 A6 a request whose handle is in the changed range is refused, not repeated")
    func changed() throws {
        let setup = try Outdated(refusals: 1, change: [0x07, 0x00, 0x09, 0x00], hash: 8)
        setup.peripheral.readValue(for: setup.characteristic)
        setup.testbed.run(.seconds(1))
        #expect(setup.central.calls == ["value CBATTErrorDomain 1", "modified 180D"])
        #expect(setup.readCount == 1)
    }

    @Test("A5 where the server does not report what has changed, nothing holds any more")
    func unreported() throws {
        let setup = try Outdated(refusals: 1, change: nil, hash: 8)
        setup.peripheral.readValue(for: setup.characteristic)
        setup.testbed.run(.seconds(1))
        #expect(setup.central.calls == ["value CBATTErrorDomain 1", "modified 180D"])
        #expect(setup.readCount == 1)
    }

    @Test("A5 a server that refuses without end is not asked without end")
    func endlessRefusal() throws {
        let setup = try Outdated(refusals: .max, change: nil, hash: 7)
        setup.peripheral.readValue(for: setup.characteristic)
        setup.testbed.run(.seconds(1))
        #expect(setup.central.calls == ["value CBATTErrorDomain 18"])
        #expect(setup.readCount == 4)
    }

    @Test("A5 reads go on while a peripheral of ours publishes another service")
    func ownServer() throws {
        let talk = Conversation(settings: .realistic)
        let (peripheral, question, _) = try talk.discover()
        talk.testbed.run(.seconds(3))
        talk.central.calls = []
        for number in 0..<50 {
            peripheral.writeValue("\(number)?".octets, for: question, type: .withResponse)
            if number == 10 {
                let service = CBMutableService(type: IDs.other, primary: true)
                talk.testbed.run(.milliseconds(100))
                talk.ball.manager.add(service)
            }
        }
        #expect(talk.testbed.run { talk.central.count("wrote") == 50 })
        #expect(talk.central.errors.isEmpty)
        #expect(talk.ball.written.map(\.text) == (0..<50).map { "\($0)?" })
    }
}
