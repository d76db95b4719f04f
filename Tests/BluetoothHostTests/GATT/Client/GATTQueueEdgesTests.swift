// The queue of a bearer at its edges: what goes before what waits and how it is counted, what leaves while a procedure
// is made or waits for security, and what happens on a bearer that has failed or ended.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: edges of the queue")
struct GATTQueueEdgesTests {
    private static let now = NIODeadline.uptimeNanoseconds(0)

    /// A read of 0009 that nobody waits for.
    private static func read(_ id: UInt64) -> OwnedProcedure {
        OwnedProcedure(ReadValue(0x0009), id: GATTProcedureID(rawValue: id)) { _ in }
    }

    /// The PDUs among actions.
    private static func sent(_ actions: [ATTBearer.Action]) -> [String] {
        actions.compactMap { action -> String? in
            guard case .send(let pdu, _) = action else { return nil }
            return hex(pdu)
        }
    }

    // MARK: The head of the queue

    @Test("The exchange of the MTU goes before what waits, and is under way from the beginning to its answer")
    func exchangeFirst() {
        var script = ClientScript()
        script.start(.read(0x0003))
        script.start(.read(0x0004))
        #expect(!script.client.isExchangingMTU)
        script.start(.exchangeMTU(preferred: 517))
        #expect(script.client.isExchangingMTU)
        script.play("> 0A 03 00 \n < 0B AA \n > 02 05 02")
        #expect(script.client.isExchangingMTU, "the end of another procedure does not end it")
        script.play("< 03 17 00 \n > 0A 04 00")
        #expect(!script.client.isExchangingMTU)
        script.play("< 0B BB")
    }

    @Test("The exchange of the MTU is counted among the waiting procedures while it waits")
    func exchangeCounts() {
        var script = ClientScript(queueLimit: 2)
        script.start(.read(0x0001))
        let exchange = script.start(.exchangeMTU(preferred: 517))
        script.start(.read(0x0002))
        let refused = script.start(.read(0x0003))
        #expect(script.takeReported() == [.complete(refused, .failure(.att(.insufficientResources, handle: 0)))])
        script.play("> 0A 01 00 \n < 0B 01 \n > 02 05 02 \n < 03 17 00 \n > 0A 02 00 \n < 0B 02")
        #expect(script.takeReported().contains(.complete(exchange, .success(.mtu(23)))))
        script.start(.read(0x0005))
        script.start(.read(0x0006))
        script.start(.read(0x0007))
        #expect(script.takeReported().isEmpty)
        script.start(.read(0x0008))
        #expect(script.takeReported().count == 1)
    }

    @Test("A procedure that is put at the head goes before what waits, and is counted")
    func performNext() {
        var script = ClientScript(queueLimit: 2)
        script.start(.read(0x0003))
        script.start(.read(0x0004))
        var actions: [ATTBearer.Action] = []
        script.client.performNext(Self.read(99), into: &actions)
        #expect(actions.isEmpty)
        script.start(.read(0x0005))
        #expect(script.takeReported().count == 1, "two wait already")
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 09 00 \n < 0B BB \n > 0A 04 00 \n < 0B CC")
        _ = script.takeReported()
        script.start(.read(0x0006))
        script.start(.read(0x0007))
        script.start(.read(0x0008))
        #expect(script.takeReported().isEmpty)
    }

    // MARK: A link that is held

    @Test("While a bond's key is not in use, commands wait, and what the server sends is neither taken nor confirmed")
    func held() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00")
        script.client.client.isHeld = true
        script.writeCommand(0x0007, hex("01"))
        script.receive(hex("1D 08 00 01"))
        script.receive(hex("1B 08 00 01"))
        script.receive(hex("23 08 00 01 00 01 09 00 01 00 02"))
        script.receive(hex("0B AA"))
        script.play("")
        #expect(script.takeReported().isEmpty)
        #expect(script.takeTransmitted().isEmpty)
        script.client.client.isHeld = false
        script.advance(.zero)
        script.play("> 52 07 00 01 \n < 0B AA")
        #expect(script.takeReported() == [.complete(id, .success(.value(hex("AA"))))])
    }

    @Test("Notifications are accepted of handles that exist, on a link that is neither held nor over")
    func acceptsNotification() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        #expect(bearer.acceptsNotification(of: 0x0001) && bearer.acceptsNotification(of: 0xFFFF))
        #expect(!bearer.acceptsNotification(of: 0x0000))
        bearer.client.isHeld = true
        #expect(!bearer.acceptsNotification(of: 0x0001))
        bearer.client.isHeld = false
        bearer.fail(.indicationTimeout, into: &actions)
        #expect(!bearer.acceptsNotification(of: 0x0001))
    }

    // MARK: Waiting for security

    @Test("A command leaves while a request waits for a more secure link, unless its procedure is exclusive")
    func securing() {
        var script = ClientScript()
        script.awaitsSecurity = true
        script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 05")
        script.writeCommand(0x0007, hex("01"))
        script.play("> 52 07 00 01")
        script.acceptRefusal()
        script.start(.configure(.notifications, of: GATTQueueTests.characteristic, at: 0x0004))
        script.play("> 12 04 00 01 00 \n < 01 12 04 00 05")
        script.writeCommand(0x0007, hex("02"))
        script.play("")
        script.acceptRefusal()
        script.play("> 52 07 00 02")
    }

    @Test("A refusal is accepted where one waits, and nowhere else")
    func refusalAccepted() {
        var script = ClientScript()
        script.awaitsSecurity = true
        script.acceptRefusal(.pairingTimedOut)
        let id = script.start(.read(0x0003))
        script.acceptRefusal(.pairingTimedOut)
        script.secured(LinkSecurity.Key(isAuthenticated: true, isSecureConnections: false))
        script.play("> 0A 03 00 \n < 0B 07")
        #expect(script.takeReported() == [.complete(id, .success(.value(hex("07"))))])
    }

    @Test("The end of the link ends a procedure that waits for a more secure link")
    func closedWhileSecuring() {
        var script = ClientScript()
        script.awaitsSecurity = true
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 0F")
        script.close()
        script.acceptRefusal()
        #expect(
            script.takeReported() == [
                .needsSecurity(.encrypted), .complete(id, .failure(.disconnected(.remoteUserTerminated))),
            ]
        )
    }

    @Test("On a link with an authenticated key an authenticated one of LE Secure Connections is what may help")
    func lastLevel() {
        var script = ClientScript()
        script.awaitsSecurity = true
        script.client.security = LinkSecurity(level: .authenticated)
        script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 05")
        #expect(script.takeReported() == [.needsSecurity(.secureConnections)])
        script = ClientScript()
        script.awaitsSecurity = true
        script.client.security = LinkSecurity(level: .secureConnections)
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 01 0A 03 00 05")
        #expect(script.takeReported() == [.complete(id, .failure(.att(.insufficientAuthentication, handle: 3)))])
    }

    // MARK: Being made

    @Test("A command that comes while a procedure is made leaves behind its first request")
    func commandWhileMaking() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        let make: () -> ReadValue? = { ReadValue(0x0003) }
        let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1), make: make, completion: { _ in })
        bearer.perform(procedure, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        bearer.writeCommand(0x0007, hex("01"), .standard, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.count == 1 && Self.sent(actions).isEmpty)
        procedure.make()
        bearer.made(procedure, now: Self.now, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(Self.sent(actions) == ["0A 03 00", "52 07 00 01"])
    }

    @Test("A procedure that is cancelled while it is made is not begun, and the next one is")
    func cancelledWhileMaking() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        let make: () -> ReadValue? = { ReadValue(0x0003) }
        let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1), make: make, completion: { _ in })
        bearer.perform(procedure, into: &actions)
        bearer.perform(Self.read(2), into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        bearer.cancel(GATTProcedureID(rawValue: 1))
        procedure.make()
        // One that is not being made begins nothing.
        bearer.made(Self.read(3), now: Self.now, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(Self.sent(actions).isEmpty)
        bearer.made(procedure, now: Self.now, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(Self.sent(actions) == ["0A 09 00"])
    }

    @Test("The end of the link ends a procedure that is being made, and it is not begun then")
    func closedWhileMaking() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var outcomes: [Result<ByteBuffer, GATTError>] = []
        let make: () -> ReadValue? = { ReadValue(0x0003) }
        let procedure = OwnedProcedure(
            id: GATTProcedureID(rawValue: 1),
            make: make,
            completion: { outcomes.append($0) }
        )
        bearer.perform(procedure, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        bearer.close(reason: .remoteUserTerminated, into: &actions)
        procedure.make()
        bearer.made(procedure, now: Self.now, into: &actions)
        #expect(Self.sent(actions).isEmpty)
        procedure.report()
        #expect(outcomes == [.failure(.disconnected(.remoteUserTerminated))])
    }

    @Test("The bearer learns from a procedure that is made when its turn comes, too")
    func findingMadeInTurn() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        let make: () -> ExchangeMTU? = { ExchangeMTU(preferred: 100) }
        let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1), makeFinding: make, completion: { _ in })
        bearer.perform(procedure, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        procedure.make()
        bearer.made(procedure, now: Self.now, into: &actions)
        #expect(Self.sent(actions) == ["02 64 00"])
        bearer.receiveAsClient(hex("03 05 02"), now: Self.now, into: &actions)
        #expect(bearer.mtu == 100)
    }

    @Test("A procedure that has its result keeps it, one that failed first reports that, and each reports once")
    func results() {
        var outcomes: [Result<ByteBuffer, GATTError>] = []
        let ended = OwnedProcedure(ReadValue(0x0003), id: GATTProcedureID(rawValue: 1)) { outcomes.append($0) }
        ended.report()
        #expect(outcomes.isEmpty && ended.isOpen)
        let request = ended.begin(mtu: 23)
        #expect(request == hex("0A 03 00"))
        let next = ended.receive(.response(hex("0B 01")), mtu: 23)
        #expect(next == nil && !ended.isOpen)
        ended.fail(.notConnected)
        ended.report()
        ended.report()
        #expect(outcomes == [.success(hex("01"))])
        let failed = OwnedProcedure(ReadValue(0x0003), id: GATTProcedureID(rawValue: 2)) { outcomes.append($0) }
        failed.fail(.transactionTimeout)
        failed.fail(.notConnected)
        failed.report()
        #expect(outcomes == [.success(hex("01")), .failure(.transactionTimeout)])
        let cancelled = OwnedProcedure(ReadValue(0x0003), id: GATTProcedureID(rawValue: 3)) { outcomes.append($0) }
        cancelled.cancel()
        cancelled.fail(.notConnected)
        cancelled.report()
        #expect(outcomes.count == 2)
    }

    // MARK: A bearer that is over

    @Test(
        "On a bearer that failed for its server half a procedure waits for the end of the link",
        arguments: [ATTBearer.Failure.requestWhilePending, .indicationTimeout]
    )
    func failedBearer(failure: ATTBearer.Failure) {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var outcomes: [Result<ByteBuffer, GATTError>] = []
        bearer.fail(failure, into: &actions)
        #expect(actions.count == 1)
        let read = OwnedProcedure(ReadValue(0x0003), id: GATTProcedureID(rawValue: 1)) { outcomes.append($0) }
        bearer.perform(read, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.count == 1)
        bearer.close(reason: .connectionTimeout, into: &actions)
        #expect(actions.count == 2)
        read.report()
        #expect(outcomes == [.failure(.disconnected(.connectionTimeout))])
    }

    @Test("On a bearer that has failed the MTU is not asked for, and the result is the MTU of the link")
    func exchangeOnFailedBearer() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var agreed: [Result<Int, GATTError>] = []
        bearer.fail(.requestWhilePending, into: &actions)
        bearer.exchangeMTU(preferred: 517, id: GATTProcedureID(rawValue: 1), into: &actions) { agreed.append($0) }
        #expect(actions.count == 2 && !bearer.isExchangingMTU)
        guard case .report(let exchange)? = actions.last else {
            Issue.record("no result: \(actions)")
            return
        }
        exchange.report()
        #expect(agreed == [.success(23)])
    }

    @Test("On a bearer that is over, the exchange of the MTU has the MTU of the link for its result")
    func exchangeAfterEnd() {
        var script = ClientScript(mtu: 100)
        script.close()
        let id = script.start(.exchangeMTU(preferred: 517))
        script.play("")
        #expect(script.takeReported() == [.complete(id, .success(.mtu(100)))])
        #expect(!script.client.isExchangingMTU)
        // And the one that was under way is not any more.
        script = ClientScript()
        script.start(.exchangeMTU(preferred: 517))
        script.play("> 02 05 02")
        script.close()
        #expect(!script.client.isExchangingMTU)
    }

    // MARK: The length of answers

    @Test("An answer is as long as the greater one of the MTU and what this host takes, and no longer")
    func longestAnswer() {
        for (preferredMTU, mtu, longest) in [(517, 23, 517), (23, 23, 23), (23, 50, 50), (50, 23, 50)] {
            for length in [longest, longest + 1] {
                var script = ClientScript()
                script.client = ATTBearer(link: LinkID(rawValue: 1), preferredMTU: preferredMTU)
                script.setMTU(mtu)
                let id = script.start(.readMultiple([0x0003, 0x0007]))
                script.play("> 0E 03 00 07 00 \n < 0F \(hex(octets(length - 1)))")
                let outcome: ClientScript.Outcome =
                    length == longest ? .success(.value(octets(length - 1))) : .failure(.malformedResponse)
                #expect(script.takeReported() == [.complete(id, outcome)], "\(preferredMTU) \(mtu) \(length)")
            }
        }
    }

    // MARK: Service Changed

    @Test(
        "A Service Changed value may name one handle, and the last one",
        arguments: [("10 00 10 00", 0x0010, 0x0010), ("FF FF FF FF", 0xFFFF, 0xFFFF), ("01 00 FF FF", 1, 0xFFFF)]
            as [(String, AttributeHandle, AttributeHandle)]
    )
    func changedRange(value: String, first: AttributeHandle, last: AttributeHandle) {
        var script = ClientScript()
        let cached = GATTCachedDatabase(
            databaseHash: octets(16),
            serviceChanged: 0x0008,
            serviceChangedConfiguration: 0x0009
        )
        script.start(.resumeCaching(cached))
        script.play("> 12 09 00 02 00 \n < 1D 08 00 \(value) \n > 1E")
        #expect(script.takeReported() == [.servicesChanged(first...last)])
    }

    @Test("Of several notifications those of the handle that does not exist are left out")
    func handleZero() {
        var script = ClientScript()
        script.play("< 23 10 00 01 00 AA 00 00 01 00 BB 11 00 01 00 CC")
        #expect(script.takeReported() == [.notification(0x0010, hex("AA")), .notification(0x0011, hex("CC"))])
    }
}
