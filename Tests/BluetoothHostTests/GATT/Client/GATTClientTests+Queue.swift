// The queue of a bearer: what waits for what, when procedures are made, what cancelling does, and that each write
// command is counted once for its owner.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

extension GATTClientTests {
    private static let now = NIODeadline.uptimeNanoseconds(0)
    private static let one = TransmitToken(rawValue: 1)
    private static let other = TransmitToken(rawValue: 2)

    /// A characteristic whose descriptors are 0004 and 0005.
    static let characteristic = GATTRemoteCharacteristic(0xA001, [.write, .notify], 0x0002, 0x0003, 0x0005)

    /// A read that nobody waits for.
    private static func read(_ id: UInt64) -> OwnedProcedure {
        OwnedProcedure(ReadValue(AttributeHandle(id)), id: GATTProcedureID(rawValue: id)) { _ in }
    }

    // MARK: Limits

    @Test("refuses a procedure beyond the limit")
    func limit() {
        var script = ClientScript(queueLimit: 2)
        for handle in 1...3 { script.start(.read(AttributeHandle(handle))) }
        let refused = script.start(.read(4))
        #expect(script.takeReported() == [.complete(refused, .failure(.att(.insufficientResources, handle: 0)))])
    }

    @Test("counts every waiting procedure, also at the head of the queue, until it begins or is cancelled")
    func counted() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1), queueLimit: 2)
        var actions: [ATTBearer.Action] = []
        /// Whether one more procedure may wait.
        func waits(_ number: UInt64) -> Bool {
            actions = []
            bearer.perform(Self.read(number), into: &actions)
            return actions.isEmpty
        }
        bearer.performNext(Self.read(1), into: &actions)
        bearer.exchangeMTU(preferred: 23, id: GATTProcedureID(rawValue: 2), into: &actions) { _ in }
        #expect(actions.isEmpty)
        #expect(!waits(3))
        bearer.cancel(GATTProcedureID(rawValue: 1))
        #expect(waits(4) && !waits(5))
        actions = []
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.sent == ["02 17 00"])
        #expect(waits(6) && !waits(7))
        actions = []
        bearer.receiveAsClient(hex("03 17 00"), now: Self.now, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.sent == ["0A 04 00"])
        #expect(waits(8) && !waits(9))
    }

    // MARK: Order

    @Test("sends a write command while the answer to a request is awaited, but not before what was asked earlier")
    func commandBesideRequest() {
        var script = ClientScript()
        script.start(.read(0x0003))
        script.writeCommand(0x0007, hex("01"))
        script.play("> 0A 03 00 \n > 52 07 00 01")
        script.start(.write(0x0004, octets(20)))
        script.writeCommand(0x0007, hex("02"))
        script.play("< 0B AA \n > 12 04 00 \(hex(octets(20))) \n > 52 07 00 02")
        #expect(script.takeTransmitted() == [Transmission(token: .standard, count: 2)])
    }

    @Test("sends a write command after an exclusive procedure: a configuration, reliable writes, a long write")
    func commandBehindExclusive() {
        var script = ClientScript()
        script.start(.configure(.notifications, of: Self.characteristic))
        script.writeCommand(0x0003, hex("01"))
        script.play("> 04 04 00 05 00 \n < 05 01 04 00 02 29 05 00 01 29 \n > 12 04 00 01 00 \n < 13 \n > 52 03 00 01")
        script.start(.writeReliably([AttributeValue(handle: 0x0007, value: hex("AA"))]))
        script.writeCommand(0x0007, hex("02"))
        script.play("> 16 07 00 00 00 AA \n < 17 07 00 00 00 AA \n > 18 01 \n < 19 \n > 52 07 00 02")
        let first = hex(octets(18))
        script.start(.write(0x0007, octets(21)))
        script.writeCommand(0x0009, hex("03"))
        script.play(
            """
            > 16 07 00 00 00 \(first)
            < 17 07 00 00 00 \(first)
            > 16 07 00 12 00 12 13 14
            < 17 07 00 12 00 12 13 14
            > 18 01
            < 19
            > 52 09 00 03
            """
        )
        // And after the answer to the cancellation of one.
        _ = script.takeReported()
        let id = script.start(.write(0x0007, octets(21)))
        script.writeCommand(0x0009, hex("04"))
        script.play("> 16 07 00 00 00 \(first) \n < 17 07 00 00 00 00 \n > 18 00")
        #expect(script.takeReported().isEmpty)
        script.play("< 19 \n > 52 09 00 04")
        #expect(script.takeReported() == [.complete(id, .failure(.reliableWriteMismatch))])
    }

    @Test("begins what is put at the head of the queue before what waits")
    func head() {
        var script = ClientScript()
        script.start(.read(0x0003))
        script.start(.read(0x0004))
        #expect(!script.client.isExchangingMTU)
        script.start(.exchangeMTU(preferred: 517))
        #expect(script.client.isExchangingMTU)
        var actions: [ATTBearer.Action] = []
        script.client.performNext(Self.read(9), into: &actions)
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 09 00 \n < 0B BB \n > 02 05 02")
        #expect(script.client.isExchangingMTU, "the end of another procedure does not end it")
        script.play("< 03 17 00 \n > 0A 04 00")
        #expect(!script.client.isExchangingMTU)
    }

    // MARK: Made in turn

    @Test("makes a procedure when the results before it are known")
    func madeInTurn() {
        final class Cache { var value: ByteBuffer? }
        let cache = Cache()
        var script = ClientScript()
        let make: () -> ReadValue? = { cache.value == nil ? ReadValue(0x0003) : nil }
        let first = script.start(whenItsTurnComes: make) {
            cache.value = $0
            return .value($0)
        }
        // Nothing is to be asked once the value is there, and nothing is reported.
        script.start(whenItsTurnComes: make, ClientProcedure.Output.value)
        let third = script.start(.read(0x0009))
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 09 00 \n < 0B BB")
        #expect(
            script.takeReported() == [
                .complete(first, .success(.value(hex("AA")))), .complete(third, .success(.value(hex("BB")))),
            ]
        )
    }

    /// What is sent after a procedure was made that reads 0003, and what happened meanwhile.
    private static func sent(whileMaking happen: (inout ATTBearer, inout [ATTBearer.Action]) -> Void) -> [String] {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        let make: () -> ReadValue? = { ReadValue(0x0003) }
        let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1), make: make, completion: { _ in })
        bearer.perform(procedure, into: &actions)
        bearer.proceed(now: self.now, into: &actions)
        happen(&bearer, &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.sent.isEmpty)
        procedure.make()
        bearer.made(procedure, now: Self.now, into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        return actions.sent
    }

    @Test("sends a command that comes while a procedure is made behind it, and does not begin one that has ended")
    func whileMaking() {
        let command = Self.sent { $0.writeCommand(0x0007, hex("01"), .standard, into: &$1) }
        #expect(command == ["0A 03 00", "52 07 00 01"])
        let next = Self.sent { bearer, actions in
            bearer.perform(Self.read(2), into: &actions)
            bearer.cancel(GATTProcedureID(rawValue: 1))
            // One that is not being made begins nothing.
            bearer.made(Self.read(3), now: Self.now, into: &actions)
        }
        #expect(next == ["0A 02 00"])
        let closed = Self.sent { $0.close(reason: .remoteUserTerminated, into: &$1) }
        #expect(closed == [])
    }

    @Test("is not begun if it ends while it is made, and reports only the end of its link", arguments: [false, true])
    func endedWhileMade(endsLink: Bool) {
        let failure = GATTError.disconnected(.remoteUserTerminated)
        var outcomes: [Result<ByteBuffer, GATTError>] = []
        weak var made: OwnedProcedure?
        let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1)) {
            if endsLink { made?.fail(failure) } else { made?.cancel() }
            return ReadValue(0x0003)
        } completion: {
            outcomes.append($0)
        }
        made = procedure
        procedure.make()
        #expect(!procedure.isOpen)
        procedure.report()
        procedure.report()
        #expect(outcomes == (endsLink ? [.failure(failure)] : []))
    }

    // MARK: Cancelling

    @Test("neither begins a cancelled procedure that waits nor reports one that runs, and the next one has its room")
    func cancelled() {
        var script = ClientScript(queueLimit: 2)
        let running = script.start(.read(0x0003))
        let waiting = script.start(.read(0x0004))
        let third = script.start(.read(0x0005))
        script.cancel(waiting)
        script.cancel(running)
        script.cancel(GATTProcedureID(rawValue: 99))
        let last = script.start(.read(0x0006))
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 05 00 \n < 0B BB \n > 0A 06 00 \n < 0B CC")
        #expect(
            script.takeReported() == [
                .complete(third, .success(.value(hex("BB")))), .complete(last, .success(.value(hex("CC")))),
            ]
        )
        script.cancel(last)
        script.close()
        #expect(script.takeReported() == [])
    }

    @Test("exchanges the MTU again if an exchange was cancelled before its request was sent, and only then")
    func cancelledExchange() {
        var script = ClientScript()
        let read = script.start(.read(0x0003))
        let cancelled = script.start(.exchangeMTU(preferred: 100))
        script.cancel(cancelled)
        #expect(!script.client.isExchangingMTU)
        let second = script.start(.exchangeMTU(preferred: 200))
        script.cancel(read)
        script.play("> 0A 03 00 \n < 0B AA \n > 02 C8 00")
        script.cancel(second)
        #expect(script.client.isExchangingMTU)
        script.play("< 03 50 00")
        #expect(!script.client.isExchangingMTU)
        #expect(script.takeReported() == [.mtuChanged(80)])
    }

    // MARK: Counting

    @Test("counts each write command once for its owner: sent, dropped, or ended with the link")
    func countedCommands() {
        var script = ClientScript()
        script.writeCommand(0x0007, hex("01"), token: Self.one)
        script.writeCommand(0x0007, hex("02"), token: Self.other)
        script.play("> 52 07 00 01 \n > 52 07 00 02")
        let each = [Transmission(token: Self.one, count: 1), Transmission(token: Self.other, count: 1)]
        #expect(script.takeTransmitted() == each)
        script.start(.read(0x0003))
        script.start(.read(0x0004))
        script.writeCommand(0x0007, hex("03"), token: Self.one)
        script.writeCommand(0x0008, hex("04"), token: Self.other)
        script.writeCommand(0x0007, hex("05"), token: Self.one)
        script.play("> 0A 03 00")
        script.dropCommands(to: 0x0008...0x0009)
        #expect(script.takeTransmitted() == [Transmission(token: Self.other, count: 1)])
        script.close()
        script.writeCommand(0x0007, hex("06"), token: Self.one)
        script.play("")
        #expect(script.takeTransmitted() == [Transmission(token: Self.one, count: 3)])
    }

    // MARK: A bearer that is over

    @Test(
        "ends procedures on a bearer that is over at once, or with the link if the server may still answer",
        arguments: [
            (.requestTimeout, .transactionTimeout, true),
            (.indicationTimeout, .disconnected(.connectionTimeout), false),
            (.requestWhilePending, .disconnected(.connectionTimeout), false),
            (nil, .disconnected(.connectionTimeout), true),
        ] as [(ATTBearer.Failure?, GATTError, Bool)]
    )
    func overBearer(failure: ATTBearer.Failure?, error: GATTError, atOnce: Bool) {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var results: [Result<ByteBuffer, GATTError>] = []
        var agreed: [Result<Int, GATTError>] = []
        func read(_ id: UInt64) -> OwnedProcedure {
            OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: id)) { results.append($0) }
        }
        bearer.perform(read(1), into: &actions)
        bearer.perform(read(2), into: &actions)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.sent == ["0A 03 00"])
        if let failure {
            bearer.fail(failure, into: &actions)
        } else {
            bearer.close(reason: .connectionTimeout, into: &actions)
        }
        actions.report()
        #expect(results == (atOnce ? [.failure(error), .failure(error)] : []))
        bearer.perform(read(3), into: &actions)
        bearer.performNext(read(4), into: &actions)
        bearer.exchangeMTU(preferred: 517, id: GATTProcedureID(rawValue: 5), into: &actions) { agreed.append($0) }
        bearer.proceed(now: Self.now, into: &actions)
        #expect(actions.sent.isEmpty)
        actions.report()
        #expect(results.count == (atOnce ? 4 : 0))
        #expect(agreed == [.success(23)] && !bearer.isExchangingMTU, "the MTU is known without asking")
        for _ in 0..<2 {
            bearer.close(reason: .connectionTimeout, into: &actions)
            actions.report()
        }
        #expect(results == Array(repeating: .failure(error), count: 4))
    }
}
