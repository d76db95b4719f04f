// What a user asks of the client and the server of a link: on a link that is there, and on one that is not, where each
// call says so in a later turn or does nothing.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: calls for values")
struct LEHostValueCallsTests {
    private typealias ReadResult = Result<ByteBuffer, GATTError>

    private func connected() throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started()
        testbed.controller.dataIsAnswered = true
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        _ = testbed.controller.takeData()
        return (testbed, link)
    }

    /// The ATT PDUs that were sent since the last call.
    private func sent(_ testbed: HostTestbed) -> [String] {
        testbed.run()
        return testbed.takePayloads()
    }

    // MARK: No link

    @Test("Procedures on no link fail in a later turn, each once, and none is made for them")
    func proceduresOfNoLink() throws {
        let (testbed, ended) = try self.connected()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        for link in [ended, LinkID(rawValue: 99)] {
            var results: [ReadResult] = []
            var isMade = false
            let make: () -> ReadValue? = {
                isMade = true
                return ReadValue(3)
            }
            let ids = [
                testbed.host.perform(ReadValue(3), on: link) { results.append($0) },
                testbed.host.perform(on: link, whenItsTurnComes: make) { results.append($0) },
                testbed.host.performNext(on: link, whenItsTurnComes: make) { results.append($0) },
            ]
            #expect(results.isEmpty, "nothing is called re-entrantly")
            #expect(Set(ids).count == 3)
            testbed.run(.seconds(1))
            #expect(results == [.failure(.notConnected), .failure(.notConnected), .failure(.notConnected)])
            #expect(!isMade && testbed.host.mtu(of: link) == 23)
        }
    }

    @Test("Values, answers and validations on no link are nothing")
    func valuesOfNoLink() throws {
        let (testbed, ended) = try self.connected()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        testbed.forget()
        let (host, request) = (testbed.host, GATTRequestID(link: ended, sequence: 1))
        #expect(!host.notify(hex("01"), characteristic: 3, to: ended))
        #expect(!host.notifyUnconditionally(hex("01"), characteristic: 3, to: ended))
        host.writeWithoutResponse(hex("01"), to: 3, on: ended)
        host.cancelWritesWithoutResponse(to: 1...9, on: ended)
        host.cancel(GATTProcedureID(rawValue: 1), on: ended)
        host.validateDatabaseCache(on: ended)
        host.respond(to: request, with: .success(hex("01")))
        host.respond(to: request, error: nil)
        host.pauseReceiving(on: ended)
        host.resumeReceiving(on: ended)
        #expect(self.sent(testbed) == [] && testbed.delegate.takeLines() == [])
        #expect(host.information(of: ended) == nil && host.links == [])
    }

    // MARK: The client

    @Test("A procedure that is asked for next goes in front of those that wait, and the one that runs goes on")
    func performNext() throws {
        let (testbed, link) = try self.connected()
        for handle in [3, 5] as [AttributeHandle] { testbed.host.perform(ReadValue(handle), on: link) { _ in } }
        #expect(self.sent(testbed) == ["0A 03 00"])
        let (next, last): (() -> ReadValue?, () -> ReadValue?) = ({ ReadValue(7) }, { ReadValue(9) })
        testbed.host.performNext(on: link, whenItsTurnComes: next) { _ in }
        testbed.host.perform(on: link, whenItsTurnComes: last) { _ in }
        #expect(self.sent(testbed) == [])
        for request in ["0A 07 00", "0A 05 00", "0A 09 00"] {
            testbed.receive(4, "0B 01")
            #expect(self.sent(testbed) == [request])
        }
    }

    @Test("A procedure whose maker asks for nothing is passed over, and is not reported")
    func nothingToAsk() throws {
        let (testbed, link) = try self.connected()
        var results: [String] = []
        let nothing: () -> ReadValue? = { nil }
        testbed.host.perform(on: link, whenItsTurnComes: nothing) { _ in results.append("nothing") }
        testbed.host.perform(ReadValue(5), on: link) { _ in results.append("5") }
        #expect(self.sent(testbed) == ["0A 05 00"])
        testbed.receive(4, "0B 01")
        #expect(results == ["5"])
    }

    @Test("A procedure that is cancelled while it waits is not asked for, one that runs is not reported")
    func cancel() throws {
        let (testbed, link) = try self.connected()
        var results: [String] = []
        let running = testbed.host.perform(ReadValue(3), on: link) { _ in results.append("3") }
        let waiting = testbed.host.perform(ReadValue(5), on: link) { _ in results.append("5") }
        testbed.host.perform(ReadValue(7), on: link) { _ in results.append("7") }
        #expect(self.sent(testbed) == ["0A 03 00"])
        testbed.host.cancel(running, on: link)
        testbed.host.cancel(waiting, on: link)
        testbed.receive(4, "0B 01")
        #expect(self.sent(testbed) == ["0A 07 00"])
        testbed.receive(4, "0B 01")
        #expect(results == ["7"])
    }

    @Test("Write commands leave in their order, each counted for its token")
    func writeCommands() throws {
        let (testbed, link) = try self.connected()
        testbed.host.writeWithoutResponse(hex("AA"), to: 3, on: link)
        testbed.host.writeWithoutResponse(hex("BB"), to: 5, on: link, token: .writeCommand)
        #expect(self.sent(testbed) == ["52 03 00 AA", "52 05 00 BB"])
        // The usual token is number 0.
        #expect(testbed.delegate.takeLines() == ["transmitted 1 0", "transmitted 1 writeCommand"])
    }

    @Test("Write commands to some handles that wait are taken out, and counted as if they had left")
    func cancelWrites() throws {
        let (testbed, link) = try self.connected()
        // The second read waits for the answer to the first one, and what follows it waits, too.
        for handle in [3, 5] as [AttributeHandle] { testbed.host.perform(ReadValue(handle), on: link) { _ in } }
        for handle in [3, 4, 5, 6] as [AttributeHandle] {
            testbed.host.writeWithoutResponse(hex("AA"), to: handle, on: link, token: .writeCommand)
        }
        #expect(self.sent(testbed) == ["0A 03 00"] && testbed.delegate.takeLines() == [])
        testbed.host.cancelWritesWithoutResponse(to: 4...5, on: link)
        #expect(self.sent(testbed) == [] && testbed.delegate.takeLines() == ["transmitted 2 writeCommand"])
        testbed.receive(4, "0B 01")
        #expect(self.sent(testbed) == ["0A 05 00", "52 03 00 AA", "52 06 00 AA"])
        #expect(testbed.delegate.takeLines() == ["transmitted 2 writeCommand"])
    }

    @Test("The MTU of a link is 23 until it was exchanged")
    func mtu() throws {
        let (testbed, link) = try self.connected()
        #expect(testbed.host.mtu(of: link) == 23)
        testbed.receive(4, "02 64 00")
        #expect(testbed.host.mtu(of: link) == 100 && self.sent(testbed) == ["03 05 02"])
        #expect(testbed.delegate.takeLines() == ["mtu 100"])
    }

    @Test("The MTU that a host offers is that of its configuration", arguments: [(23, "17 00"), (185, "B9 00")])
    func preferredMTU(mtu: Int, octets: String) throws {
        let testbed = HostTestbed(LEHostConfiguration(preferredMTU: mtu))
        testbed.controller.dataIsAnswered = true
        testbed.start()
        let link = try #require(testbed.acceptLink(0x40))
        _ = testbed.controller.takeData()
        testbed.receive(4, "02 05 02")
        #expect(self.sent(testbed) == ["03 \(octets)"])
        #expect(testbed.host.mtu(of: link) == mtu)
    }

    // MARK: The cached database

    /// A user who has nothing cached, and counts what is asked and told.
    private final class Cache: LEHostDelegate {
        var questions = 0
        var validations: [GATTDatabaseValidation] = []

        func host(_ host: LEHost, cachedDatabaseAt link: LinkInformation) -> GATTCachedDatabase? {
            self.questions += 1
            return nil
        }

        func host(_ host: LEHost, link: LinkID, didValidateDatabaseCache validation: GATTDatabaseValidation) {
            self.validations.append(validation)
        }
    }

    /// The peer has none of what it is asked for.
    private func answerNotFound(_ testbed: HostTestbed) {
        for _ in 0..<10 {
            guard let request = self.sent(testbed).first else { return }
            testbed.receive(4, "01 \(request.prefix(2)) 01 00 0A")
        }
    }

    @Test("A validation that has not ended is replaced by the next one, and one that has ended is followed by it")
    func validations() throws {
        for hasBegun in [false, true] {
            let (testbed, link) = try self.connected()
            let user = Cache()
            testbed.host.delegate = user
            testbed.host.validateDatabaseCache(on: link)
            if hasBegun { testbed.run() }
            testbed.host.validateDatabaseCache(on: link)
            self.answerNotFound(testbed)
            #expect(user.questions == (hasBegun ? 2 : 1) && user.validations == [.noDatabaseHash])
            testbed.host.validateDatabaseCache(on: link)
            self.answerNotFound(testbed)
            #expect(user.questions == (hasBegun ? 3 : 2))
            #expect(user.validations == [.noDatabaseHash, .noDatabaseHash])
        }
    }

    @Test("A validation that the end of the link ends is not told")
    func validationOfEndedLink() throws {
        let (testbed, link) = try self.connected()
        let user = Cache()
        testbed.host.delegate = user
        testbed.host.validateDatabaseCache(on: link)
        testbed.run()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(user.questions == 1 && user.validations == [])
    }

    // MARK: The server

    @Test("A service that is removed is not found any more, and one that is not there is removed without a word")
    func removeService() throws {
        let (testbed, link) = try self.connected()
        let definition = GATTServiceDefinition(
            uuid: 0xA000,
            characteristics: [
                GATTCharacteristicDefinition(uuid: 0xA001, properties: .read, permissions: .readable, value: hex("2A"))
            ]
        )
        let handles = try testbed.host.addService(definition)
        let value = handles.characteristics[0].value
        let name = hex(ByteBuffer(integer: value, endianness: .little))
        testbed.receive(4, "0A \(name)")
        #expect(self.sent(testbed) == ["0B 2A"])
        testbed.host.removeService(0x7000)
        testbed.host.removeService(handles.range.lowerBound)
        testbed.host.removeService(handles.range.lowerBound)
        testbed.receive(4, "0A \(name)")
        #expect(self.sent(testbed) == ["01 0A \(name) 01"])
        #expect(testbed.host.information(of: link) != nil)
    }

    @Test("A notification to a client that need not be subscribed leaves, and is not counted")
    func unconditionalNotification() throws {
        let (testbed, link) = try self.connected()
        #expect(testbed.host.notifyUnconditionally(hex("AA BB"), characteristic: 0x1234, to: link))
        #expect(self.sent(testbed) == ["1B 34 12 AA BB"] && testbed.delegate.takeLines() == [])
        // One that has to be is counted, and sent nowhere.
        #expect(testbed.host.notify(hex("AA"), characteristic: 0x1234, to: link))
        #expect(self.sent(testbed) == [] && testbed.delegate.takeLines() == ["transmitted 1 0"])
    }
}
