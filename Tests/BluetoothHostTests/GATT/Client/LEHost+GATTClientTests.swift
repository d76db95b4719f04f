// The GATT client of a link: procedures and write commands in order, on open links and without a link.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: GATT client")
struct LEHostGATTClientTests {
    private typealias ReadResult = Result<ByteBuffer, GATTError>

    private func connected(
        _ configuration: LEHostConfiguration = LEHostConfiguration()
    ) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started(configuration) { $0.dataIsAnswered = true }
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        _ = testbed.controller.takeData()
        return (testbed, link)
    }

    // MARK: No link

    @Test("fails procedures without a link in a later turn, each once, without creating them")
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
            testbed.host.perform(ReadValue(3), on: link) { results.append($0) }
            for isNext in [false, true] {
                testbed.host.perform(on: link, isNext: isNext, whenItsTurnComes: make) { results.append($0) }
            }
            #expect(results.isEmpty, "nothing is called re-entrantly")
            testbed.run(.seconds(1))
            #expect(results == [.failure(.notConnected), .failure(.notConnected), .failure(.notConnected)])
            #expect(!isMade && testbed.host.mtu(of: link) == 23)
        }
    }

    @Test("ignores values, answers and validations without a link")
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
        host.cancel(GATTOperation(), on: ended)
        host.validateDatabaseCache(on: ended)
        host.respond(to: request, with: .success(hex("01")))
        host.respond(to: request, error: nil)
        host.pauseReceiving(on: ended)
        host.resumeReceiving(on: ended)
        #expect(testbed.sent() == [] && testbed.delegate.takeLines() == [])
        #expect(host.information(of: ended) == nil && host.links == [])
    }

    // MARK: Procedures

    @Test("GATT/CL/GAT/BV-01-C ends the link of a server that does not answer for 30 s")
    func transactionTimeout() throws {
        let (testbed, link) = try self.connected(LEHostConfiguration(commandTimeout: .seconds(60)))
        var results: [ReadResult] = []
        testbed.host.perform(ReadValue(3), on: link) { results.append($0) }
        testbed.run(.seconds(30) - .nanoseconds(1))
        #expect(results.isEmpty)
        testbed.run(.nanoseconds(1))
        #expect(results == [.failure(.transactionTimeout)])
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode] && testbed.host.links.count == 1)
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        #expect(results.count == 1)
    }

    @Test(
        "reports Database Out Of Sync (0x12) alone, after the end of the procedure (Vol 3, Part G, 2.5.2.1)",
        arguments: [(0x12, true), (0x0A, false), (0x13, false)] as [(UInt8, Bool)]
    )
    func outOfSync(error: UInt8, isOutOfSync: Bool) throws {
        final class User: LEHostDelegate {
            var lines: [String] = []
            func host(_ host: LEHost, didFindDatabaseOutOfSyncOn link: LinkID) { self.lines.append("out of sync") }
        }
        let (testbed, link) = try self.connected()
        let user = User()
        testbed.use(user)
        testbed.host.perform(ReadValue(3), on: link) { _ in user.lines.append("procedure") }
        testbed.run()
        testbed.controller.receive(0x40, channel: 4, [0x01, 0x0A, 0x03, 0x00, error])
        testbed.run()
        #expect(user.lines == ["procedure"] + (isOutOfSync ? ["out of sync"] : []))
    }

    // MARK: Write commands

    @Test("drops waiting write commands to a range of handles and counts them")
    func cancelWrites() throws {
        let (testbed, link) = try self.connected()
        // The second read, and everything after it, waits for the answer to the first one.
        for handle in [3, 5] as [AttributeHandle] { testbed.host.perform(ReadValue(handle), on: link) { _ in } }
        for handle in [3, 4, 5] as [AttributeHandle] {
            testbed.host.writeWithoutResponse(hex("AA"), to: handle, on: link, token: .writeCommand)
        }
        testbed.host.writeWithoutResponse(hex("AA"), to: 6, on: link)
        #expect(testbed.sent() == ["0A 03 00"] && testbed.delegate.takeLines() == [])
        testbed.host.cancelWritesWithoutResponse(to: 4...5, on: link)
        #expect(testbed.sent() == [] && testbed.delegate.takeLines() == ["transmitted 2 writeCommand"])
        testbed.receive(4, "0B 01")
        #expect(testbed.sent() == ["0A 05 00", "52 03 00 AA", "52 06 00 AA"])
        // The usual token is number 0.
        #expect(testbed.delegate.takeLines() == ["transmitted 1 writeCommand", "transmitted 1 0"])
    }

    // MARK: MTU

    @Test("offers the configured MTU, and has 23 until the exchange", arguments: [(23, "17 00"), (185, "B9 00")])
    func mtu(mtu: Int, octets: String) throws {
        let (testbed, link) = try self.connected(LEHostConfiguration(preferredMTU: mtu))
        #expect(testbed.host.mtu(of: link) == 23)
        #expect(testbed.answers("02 05 02") == ["03 \(octets)"])
        #expect(testbed.host.mtu(of: link) == mtu)
        #expect(testbed.delegate.takeLines() == (mtu == 23 ? [] : ["mtu \(mtu)"]))
    }

    // MARK: The cached database

    /// A user without a cached database, who counts questions and results.
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

    /// The peer finds nothing.
    private func answerNotFound(_ testbed: HostTestbed) {
        for _ in 0..<10 {
            guard let request = testbed.sent().first else { return }
            testbed.receive(4, "01 \(request.prefix(2)) 01 00 0A")
        }
    }

    @Test("replaces a validation that has not ended by the next one")
    func validations() throws {
        for hasBegun in [false, true] {
            let (testbed, link) = try self.connected()
            let user = Cache()
            testbed.use(user)
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

    @Test("does not report a validation that the end of the link ended")
    func validationOfEndedLink() throws {
        let (testbed, link) = try self.connected()
        let user = Cache()
        testbed.use(user)
        testbed.host.validateDatabaseCache(on: link)
        testbed.run()
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(user.questions == 1 && user.validations == [])
    }
}
