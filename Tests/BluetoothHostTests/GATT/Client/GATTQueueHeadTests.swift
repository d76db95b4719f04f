// What is put at the head of a bearer's queue: an exchange of the MTU that is cancelled, and procedures on a bearer
// that has failed or ended.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: the head of the queue")
struct GATTQueueHeadTests {
    private static let now = NIODeadline.uptimeNanoseconds(0)

    /// The PDUs among actions.
    private static func sent(_ actions: [ATTBearer.Action]) -> [String] {
        actions.compactMap { action -> String? in
            guard case .send(let pdu, _) = action else { return nil }
            return hex(pdu)
        }
    }

    /// Reports the results among actions, as the driver does.
    private static func report(_ actions: [ATTBearer.Action]) {
        for case .report(let procedure) in actions { procedure.report() }
    }

    // MARK: The exchange of the MTU

    @Test("An exchange of the MTU that is cancelled while it waits is not under way, and another one is sent")
    func cancelledExchange() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var results: [Result<Int, GATTError>] = []
        bearer.exchangeMTU(preferred: 100, id: GATTProcedureID(rawValue: 1), into: &actions) { results.append($0) }
        bearer.cancel(GATTProcedureID(rawValue: 1))
        #expect(!bearer.isExchangingMTU)
        bearer.exchangeMTU(preferred: 200, id: GATTProcedureID(rawValue: 2), into: &actions) { results.append($0) }
        #expect(bearer.isExchangingMTU && actions.isEmpty)
        bearer.proceed(now: Self.now, into: &actions)
        #expect(Self.sent(actions) == ["02 C8 00"])
        bearer.receiveAsClient(hex("03 50 00"), now: Self.now, into: &actions)
        Self.report(actions)
        #expect(results == [.success(80)] && bearer.mtu == 80 && !bearer.isExchangingMTU)
    }

    @Test("An exchange of the MTU goes on when another procedure is cancelled, and when its request was sent")
    func exchangeThatGoesOn() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        let read = OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: 1)) { _ in }
        bearer.perform(read, into: &actions)
        bearer.exchangeMTU(preferred: 100, id: GATTProcedureID(rawValue: 2), into: &actions) { _ in }
        bearer.cancel(GATTProcedureID(rawValue: 1))
        #expect(bearer.isExchangingMTU)
        bearer.proceed(now: Self.now, into: &actions)
        bearer.cancel(GATTProcedureID(rawValue: 2))
        #expect(bearer.isExchangingMTU)
        bearer.receiveAsClient(hex("03 50 00"), now: Self.now, into: &actions)
        #expect(bearer.mtu == 80 && !bearer.isExchangingMTU)
        #expect(Self.sent(actions) == ["02 64 00"])
    }

    // MARK: A bearer that is over

    @Test("On a bearer whose server is silent, what would be asked next ends at once")
    func nextAfterTimeout() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var results: [Result<ByteBuffer, GATTError>] = []
        bearer.fail(.requestTimeout, into: &actions)
        let next = OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: 1)) { results.append($0) }
        bearer.performNext(next, into: &actions)
        Self.report(actions)
        #expect(results == [.failure(.transactionTimeout)])
        actions = []
        bearer.close(reason: .connectionTimeout, into: &actions)
        #expect(actions.isEmpty && results.count == 1)
    }

    @Test("On a bearer whose link has ended, what would be asked next ends at once")
    func nextAfterEnd() {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var results: [Result<ByteBuffer, GATTError>] = []
        bearer.close(reason: .connectionTimeout, into: &actions)
        let next = OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: 1)) { results.append($0) }
        bearer.performNext(next, into: &actions)
        Self.report(actions)
        #expect(results == [.failure(.disconnected(.connectionTimeout))])
    }

    @Test(
        "On a bearer that failed for its server half, what would be asked next waits for the end of the link",
        arguments: [ATTBearer.Failure.requestWhilePending, .indicationTimeout]
    )
    func nextAfterFailure(failure: ATTBearer.Failure) {
        var bearer = ATTBearer(link: LinkID(rawValue: 1))
        var actions: [ATTBearer.Action] = []
        var results: [Result<ByteBuffer, GATTError>] = []
        bearer.fail(failure, into: &actions)
        actions = []
        let next = OwnedProcedure(ReadValue(3), id: GATTProcedureID(rawValue: 1)) { results.append($0) }
        bearer.performNext(next, into: &actions)
        #expect(actions.isEmpty)
        bearer.close(reason: .connectionTimeout, into: &actions)
        Self.report(actions)
        #expect(results == [.failure(.disconnected(.connectionTimeout))])
    }
}
