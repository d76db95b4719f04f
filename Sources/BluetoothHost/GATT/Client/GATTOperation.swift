// An operation on a peer's server: one object from the call to the result. It waits in the queue of the link's client,
// so nothing is looked up, and its request, progress and result are in one place.
//
//     open ── it has its result, or its link ends ──▶ ended ── reported ──▶ over ── performed again ──▶ open
//       └── cancelled, or there is nothing to send ──────────────────────▲
//
// open: it waits for its turn, or one of its requests is on its way. ended: the result waits for the driver, since its
// receiver may call the host. over: nothing more is reported.

public import NIOCore

/// An event of an operation, which returns the next request for it or has ended.
public enum GATTEvent {
    /// Its turn has come, and the results of everything before it are known.
    case turn
    /// The response that belongs to its request, opcode included.
    case response(ByteBuffer)
    /// An Error Response that belongs to its request.
    case error(ATTErrorResponse)
    /// An answer that does not belong to its request, or is invalid.
    case malformed
}

/// One operation on a peer's server.
open class GATTOperation {
    private enum State {
        case open
        /// Ended with this error, or with its own result.
        case ended(GATTError?)
        case over
    }

    private var state = State.open
    /// Whether nothing else of the client may be sent until the operation ends.
    public final var isExclusive = false
    /// The value handle of Service Changed, once the operation has found it: an indication may overtake its end.
    public final var serviceChanged: AttributeHandle?

    /// Creates an operation.
    public init() {}

    /// Takes its turn or an answer, and returns the next request; `nil` if the operation has ended, or has nothing to
    /// send and has cancelled itself. It may call the host in its turn, but not for an answer.
    open func step(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        preconditionFailure("an operation has steps")
    }

    /// Takes the end, once: with this error, or with its own result.
    open func finish(_ error: GATTError?) {}

    /// The result is no longer needed.
    public final func cancel() { self.state = .over }

    final var isOpen: Bool { if case .open = self.state { true } else { false } }

    /// It waits for its turn, perhaps again.
    final func open() { self.state = .open }

    /// Ends it, unless it has ended.
    final func end(_ error: GATTError? = nil) { if case .open = self.state { self.state = .ended(error) } }

    /// Delivers the result. Called by the driver, never inside a machine.
    final func report() {
        guard case .ended(let error) = self.state else { return }
        self.state = .over
        self.finish(error)
    }
}

/// Matches the operation itself.
func ~= (pattern: GATTOperation, operation: GATTOperation) -> Bool { pattern === operation }

/// An operation that is a procedure, with the closure that takes its result.
///
/// Closures erase the type of the procedure, since they are compiled for it: the methods of a generic class look it up
/// at run time, which costs more than everything else that the client does for a read.
@usableFromInline
final class GATTProcedureOperation: GATTOperation {
    private let take: (GATTProcedureOperation, GATTEvent, Int) -> ByteBuffer?
    private let complete: (GATTError?) -> Void

    @usableFromInline
    init(
        take: @escaping (GATTProcedureOperation, GATTEvent, Int) -> ByteBuffer?,
        complete: @escaping (GATTError?) -> Void
    ) {
        self.take = take
        self.complete = complete
    }

    /// - Parameter procedure: Created when its turn comes; `nil` if there is nothing to send.
    @inlinable
    convenience init<Procedure: GATTProcedure>(
        _ procedure: @escaping @autoclosure () -> Procedure?,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) {
        var made: Procedure?
        var result: Result<Procedure.Output, GATTError>?
        self.init { operation, event, mtu in
            if case .turn = event { made = procedure() }
            guard let step = made?.step(event, mtu: mtu) else {
                operation.cancel()
                return nil
            }
            operation.serviceChanged = made?.serviceChanged
            switch step {
            case .request(let pdu):
                operation.isExclusive = made?.isExclusive == true
                return pdu
            case .finish(let end):
                result = end
                return nil
            }
        } complete: { error in
            if let end = error.map(Result.failure) ?? result { completion(end) }
        }
    }

    override func step(_ event: GATTEvent, mtu: Int) -> ByteBuffer? { self.take(self, event, mtu) }

    override func finish(_ error: GATTError?) { self.complete(error) }
}
