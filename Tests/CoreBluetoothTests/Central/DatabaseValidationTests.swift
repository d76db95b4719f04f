import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.13 Validation of a peripheral's database")
struct DatabaseValidationTests {
    @Test("A4 stops validating a server that reports a change whenever it is subscribed to")
    func endlessChange() throws {
        let setup = try ForeignConversation(ForeignPeripheral.hashedAttributes) { foreign in
            foreign.onRequest = { [unowned foreign] request in
                guard request[0] == 0x12, request[1] == 4 else { return nil }
                foreign.push([0x1D, 0x03, 0x00, 0x01, 0x00, 0xFF, 0xFF])
                return nil
            }
        }
        let (testbed, foreign, central) = (setup.testbed, setup.foreign, setup.central)
        testbed.run(.seconds(5))
        let count = foreign.requests.count
        #expect(count < 500)
        testbed.run(.seconds(35))
        #expect(foreign.requests.count <= count + 2, "the name is read, and nothing else")
        #expect(foreign.requests.count { $0[0] == 0x12 && $0[1] == 4 } == 1, "subscribed once")
        #expect(foreign.requests.count(where: Self.readsHash) == 2, "the hash alone is read again")
        // The app can use it all the same.
        setup.peripheral.readValue(for: try setup.discover())
        #expect(testbed.run { central.values == ["beat"] })
    }

    @Test("A4 validates a changing database at most 16 times on a link")
    func validationLimit() throws {
        let setup = try ForeignConversation(ForeignPeripheral.hashedAttributes)
        let (testbed, foreign, central) = (setup.testbed, setup.foreign, setup.central)
        testbed.run(.seconds(3))
        func readCount() -> Int { foreign.requests.count(where: Self.readsHash) }
        func change() {
            foreign.push([0x1D, 0x03, 0x00, 0x07, 0x00, 0x09, 0x00])
            testbed.run(.seconds(1))
        }
        #expect(readCount() == 1)
        for count in 1...20 {
            change()
            #expect(readCount() == min(1 + count, RemoteServer.validationLimit), "\(count)")
            #expect(central.count("modified ") == count)
        }
        central.disconnect(setup.peripheral, in: testbed)
        central.connect(setup.peripheral, in: testbed)
        testbed.run(.seconds(3))
        #expect(readCount() == RemoteServer.validationLimit + 1)
        change()
        #expect(readCount() == RemoteServer.validationLimit + 2)
    }

    /// Whether a request reads the Database Hash.
    private static func readsHash(_ request: [UInt8]) -> Bool {
        request[0] == 0x08 && request.suffix(2) == [0x2A, 0x2B]
    }

    /// A central that has discovered a foreign peripheral, whose next reads are refused with Database Out Of Sync.
    private struct Outdated {
        let talk: ForeignConversation
        let characteristic: CBCharacteristic

        /// - Parameters: Those of the peripheral's `refuseReads`.
        init(refusals: Int, change: [UInt8]?, hash: UInt8) throws {
            self.talk = try ForeignConversation(ForeignPeripheral.hashedAttributes)
            self.characteristic = try self.talk.discover()
            self.talk.testbed.run(.seconds(3))
            self.talk.foreign.refuseReads(refusals, change: change, hash: hash)
            self.talk.central.calls = []
        }

        var testbed: Testbed { self.talk.testbed }
        var foreign: ForeignPeripheral { self.talk.foreign }
        var central: CentralApp { self.talk.central }
        var peripheral: CBPeripheral { self.talk.peripheral }

        /// The reads of the value.
        var readCount: Int { self.foreign.requests.count { $0 == [0x0A, 0x09, 0x00] } }
    }

    @Test("A5 repeats a request for an unchanged service after reading the hash, before later requests")
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

    @Test(
        "A5 A6 repeats a request if the database is the same, refuses it if its handle has changed, or gives up",
        arguments: [
            (1, nil, 7, ["value"], 2),
            (1, [0x07, 0x00, 0x09, 0x00], 8, ["value CBATTErrorDomain 1", "modified 180D"], 1),
            (.max, nil, 7, ["value CBATTErrorDomain 18"], 4),
        ] as [(Int, [UInt8]?, UInt8, [String], Int)]
    )
    func outOfSync(refusals: Int, change: [UInt8]?, hash: UInt8, calls: [String], readCount: Int) throws {
        let setup = try Outdated(refusals: refusals, change: change, hash: hash)
        setup.peripheral.readValue(for: setup.characteristic)
        setup.testbed.run(.seconds(1))
        #expect(setup.central.calls == calls && setup.readCount == readCount)
    }

    @Test("A5 continues writing while our own peripheral publishes another service")
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

    @Test(
        "A5 invalidates all services after an unreported change, also if others were reported before",
        arguments: [0, 1, 2]
    )
    func afterReportedChanges(count: Int) throws {
        let setup = try ForeignConversation(ForeignPeripheral.hashedAttributes)
        let (testbed, central, peripheral) = (setup.testbed, setup.central, setup.peripheral)
        let characteristic = try setup.discover()
        testbed.run(.seconds(3))
        central.calls = []
        for _ in 0..<count {
            setup.foreign.push([0x1D, 0x03, 0x00, 0x0A, 0x00, 0x0F, 0x00])
            testbed.run(.seconds(1))
        }
        #expect(central.calls == Array(repeating: "modified ", count: count))
        central.calls = []
        peripheral.readValue(for: characteristic)
        testbed.run(.seconds(1))
        #expect(central.calls == ["value"] && central.values == ["beat"])
        central.calls = []
        setup.foreign.refuseReads(1, change: nil, hash: 8)
        peripheral.readValue(for: characteristic)
        testbed.run(.seconds(1))
        #expect(central.calls == ["value CBATTErrorDomain 1", "modified 180D"])
        #expect(peripheral.services == [])
    }

    @Test("7.12 A6 refuses pending requests for a removed service, not for its successor")
    func successor() throws {
        let talk = Conversation()
        let (peripheral, question, answer) = try talk.discover()
        talk.testbed.run()
        talk.ball.onRequests = { _ in }
        talk.central.calls = []
        peripheral.writeValue("hold".octets, for: question, type: .withResponse)
        peripheral.readValue(for: answer)
        peripheral.discoverDescriptors(for: answer)
        talk.testbed.run()
        // The same service comes back at the same handles.
        talk.ball.manager.remove(talk.ball.ball)
        talk.ball.manager.add(talk.ball.ball)
        talk.testbed.run { talk.central.count("modified \(IDs.service.uuidString)") > 0 }
        talk.ball.onRequests = nil
        talk.ball.manager.respond(to: talk.ball.requests[0], withResult: .success)
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services?.count == 1 }
        talk.testbed.run()
        let end = try #require(talk.central.calls.firstIndex { $0.hasPrefix("modified") })
        #expect(
            Array(talk.central.calls[..<end]) == [
                "wrote CBATTErrorDomain 1", "value CBATTErrorDomain 1", "descriptors -1 CBATTErrorDomain 1",
            ]
        )
        #expect(talk.central.calls[end...].allSatisfy { $0.hasPrefix("modified") || $0 == "services 1" })
        #expect(talk.central.calls.last == "services 1")
    }
}
