import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: owned procedures")
struct GATTQueuedProcedureTests {
    private static func read(_ completion: @escaping (Result<ByteBuffer, GATTError>) -> Void) -> OwnedProcedure {
        OwnedProcedure(ReadValue(0x0003), id: GATTProcedureID(rawValue: 1), completion: completion)
    }

    @Test("reports its first end, once, and nothing if it was cancelled")
    func results() {
        var outcomes: [Result<ByteBuffer, GATTError>] = []
        let ended = Self.read { outcomes.append($0) }
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
        let failed = Self.read { outcomes.append($0) }
        failed.fail(.transactionTimeout)
        failed.fail(.notConnected)
        failed.report()
        #expect(outcomes == [.success(hex("01")), .failure(.transactionTimeout)])
        let cancelled = Self.read { outcomes.append($0) }
        cancelled.cancel()
        cancelled.fail(.notConnected)
        cancelled.report()
        #expect(outcomes.count == 2)
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

    @Test("tells the bearer what it finds, also if it is made when its turn comes")
    func finding() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        let now = NIODeadline.uptimeNanoseconds(0)
        let make: () -> ExchangeMTU? = { ExchangeMTU(preferred: 100) }
        let procedure = OwnedProcedure(id: GATTProcedureID(rawValue: 1), makeFinding: make, completion: { _ in })
        bearer.perform(procedure, into: &actions)
        bearer.proceed(now: now, into: &actions)
        procedure.make()
        bearer.made(procedure, now: now, into: &actions)
        #expect(actions.sent == ["02 64 00"])
        bearer.receiveAsClient(hex("03 05 02"), now: now, into: &actions)
        #expect(bearer.mtu == 100)
    }
}
