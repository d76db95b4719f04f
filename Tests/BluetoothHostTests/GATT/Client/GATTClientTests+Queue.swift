// The queue of a client: its order, when procedures are created, cancelling, and the count of each write command for
// its owner.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

extension GATTClientTests {
    fileprivate static let now = NIODeadline.uptimeNanoseconds(0)
    private static let one = TransmitToken(rawValue: 1)
    private static let other = TransmitToken(rawValue: 2)

    /// A characteristic whose descriptors are 0004 and 0005.
    static let characteristic = GATTRemoteCharacteristic(0xA001, [.write, .notify], 0x0002, 0x0003, 0x0005)

    /// A read whose result is ignored.
    private static func read(_ handle: AttributeHandle) -> GATTOperation {
        GATTProcedureOperation(ReadValue(handle)) { _ in }
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
        var user = QueueUser(GATTClient(queueLimit: 2))
        let first = Self.read(1)
        var waits = user.waits(first, isNext: true)
        #expect(waits)
        user.client.exchangeMTU(preferred: 23, on: &user.bearer, into: &user.actions) { _ in }
        #expect(user.actions.isEmpty)
        waits = user.waits(Self.read(3))
        #expect(!waits)
        user.client.cancel(first, on: &user.bearer)
        waits = user.waits(Self.read(4)) && !user.waits(Self.read(5))
        #expect(waits)
        var sent = user.proceed()
        #expect(sent == ["02 17 00"])
        waits = user.waits(Self.read(6)) && !user.waits(Self.read(7))
        #expect(waits)
        user.client.receive(hex("03 17 00"), on: &user.bearer, now: Self.now, into: &user.actions)
        sent = user.proceed()
        #expect(sent == ["0A 04 00"])
        waits = user.waits(Self.read(8)) && !user.waits(Self.read(9))
        #expect(waits)
    }

    /// A client whose actions are carried out when a test says so.
    private struct QueueUser {
        var client: GATTClient
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []

        init(_ client: GATTClient = GATTClient()) { self.client = client }

        /// Whether one more operation may wait.
        mutating func waits(_ operation: GATTOperation, isNext: Bool = false) -> Bool {
            self.actions = []
            self.client.perform(operation, isNext: isNext, on: &self.bearer, into: &self.actions)
            return self.actions.isEmpty
        }

        /// Gives operations their turns, and returns what is sent.
        mutating func proceed() -> [String] {
            self.actions = []
            var sent: [String] = []
            while true {
                self.client.proceed(on: &self.bearer, into: &self.actions)
                guard !self.actions.isEmpty else { return sent }
                sent += self.actions.sent
                let actions = self.actions
                self.actions = []
                for case .begin(let operation) in actions {
                    self.begin(operation, with: operation.step(.turn, mtu: 23))
                    sent += self.actions.sent
                    self.actions = []
                }
            }
        }

        mutating func begin(_ operation: GATTOperation, with request: ByteBuffer?) {
            self.client.begin(
                operation,
                with: request,
                on: &self.bearer,
                now: GATTClientTests.now,
                into: &self.actions
            )
        }
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
        #expect(!script.bearer.isExchangingMTU)
        script.start(.exchangeMTU(preferred: 517))
        #expect(script.bearer.isExchangingMTU)
        var actions: [ATTBearer.Action] = []
        script.client.perform(Self.read(9), isNext: true, on: &script.bearer, into: &actions)
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 09 00 \n < 0B BB \n > 02 05 02")
        #expect(script.bearer.isExchangingMTU, "the end of another procedure does not end it")
        script.play("< 03 17 00 \n > 0A 04 00")
        #expect(!script.bearer.isExchangingMTU)
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
        // Once the value is there, nothing is sent or reported.
        script.start(whenItsTurnComes: make, ClientProcedure.Output.value)
        let third = script.start(.read(0x0009))
        script.play("> 0A 03 00 \n < 0B AA \n > 0A 09 00 \n < 0B BB")
        #expect(
            script.takeReported() == [
                .complete(first, .success(.value(hex("AA")))), .complete(third, .success(.value(hex("BB")))),
            ]
        )
    }

    /// The PDUs that are sent after the turn of an operation that reads 0003, with something that happens in that turn.
    private static func sent(inTheTurn happen: (inout QueueUser, GATTOperation) -> Void) -> [String] {
        var user = QueueUser()
        let operation = Self.read(0x0003)
        user.client.perform(operation, on: &user.bearer, into: &user.actions)
        user.client.proceed(on: &user.bearer, into: &user.actions)
        happen(&user, operation)
        #expect(user.actions.sent.isEmpty)
        let early = user.proceed()
        #expect(early.isEmpty)
        user.begin(operation, with: operation.step(.turn, mtu: 23))
        let sent = user.actions.sent
        return sent + user.proceed()
    }

    @Test("sends a command that comes in the turn of an operation behind it, and does not begin one that has ended")
    func inTheTurn() {
        let command = Self.sent { user, _ in
            user.client.writeCommand(0x0007, hex("01"), .standard, on: &user.bearer, into: &user.actions)
        }
        #expect(command == ["0A 03 00", "52 07 00 01"])
        let next = Self.sent { user, operation in
            user.client.perform(Self.read(2), on: &user.bearer, into: &user.actions)
            user.client.cancel(operation, on: &user.bearer)
            // One whose turn it is not begins nothing.
            user.begin(Self.read(9), with: hex("0A 09 00"))
        }
        #expect(next == ["0A 02 00"])
        let closed = Self.sent { user, _ in
            user.client.close(reason: .remoteUserTerminated, on: &user.bearer, into: &user.actions)
        }
        #expect(closed == [])
    }

    @Test("reports only the end of its link, once, if an operation ends in its turn", arguments: [false, true])
    func endedInItsTurn(endsLink: Bool) {
        let failure = GATTError.disconnected(.remoteUserTerminated)
        var outcomes: [Result<ByteBuffer, GATTError>] = []
        weak var begun: GATTOperation?
        func make() -> ReadValue {
            if endsLink { begun?.end(failure) } else { begun?.cancel() }
            return ReadValue(0x0003)
        }
        let operation = GATTProcedureOperation(make()) { outcomes.append($0) }
        begun = operation
        _ = operation.step(.turn, mtu: 23)
        #expect(!operation.isOpen)
        operation.report()
        operation.report()
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
        script.cancelForeign()
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
        #expect(!script.bearer.isExchangingMTU)
        let second = script.start(.exchangeMTU(preferred: 200))
        script.cancel(read)
        script.play("> 0A 03 00 \n < 0B AA \n > 02 C8 00")
        script.cancel(second)
        #expect(script.bearer.isExchangingMTU)
        script.play("< 03 50 00")
        #expect(!script.bearer.isExchangingMTU)
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
        var user = QueueUser()
        var results: [Result<ByteBuffer, GATTError>] = []
        var agreed: [Result<Int, GATTError>] = []
        func read() -> GATTOperation { GATTProcedureOperation(ReadValue(3)) { results.append($0) } }
        for _ in 0..<2 { user.client.perform(read(), on: &user.bearer, into: &user.actions) }
        let sent = user.proceed()
        #expect(sent == ["0A 03 00"])
        switch failure {
        case .requestTimeout?: user.client.advance(to: .distantFuture, on: &user.bearer, into: &user.actions)
        case let failure?: user.bearer.fail(failure, into: &user.actions)
        case nil: user.client.close(reason: .connectionTimeout, on: &user.bearer, into: &user.actions)
        }
        user.actions.report()
        #expect(results == (atOnce ? [.failure(error), .failure(error)] : []))
        user.client.perform(read(), on: &user.bearer, into: &user.actions)
        user.client.perform(read(), isNext: true, on: &user.bearer, into: &user.actions)
        user.client.exchangeMTU(preferred: 517, on: &user.bearer, into: &user.actions) { agreed.append($0) }
        user.client.proceed(on: &user.bearer, into: &user.actions)
        #expect(user.actions.sent.isEmpty)
        user.actions.report()
        #expect(results.count == (atOnce ? 4 : 0))
        #expect(agreed == [.success(23)] && !user.bearer.isExchangingMTU, "the MTU is known without asking")
        for _ in 0..<2 {
            user.client.close(reason: .connectionTimeout, on: &user.bearer, into: &user.actions)
            user.actions.report()
        }
        #expect(results == Array(repeating: .failure(error), count: 4))
    }
}
