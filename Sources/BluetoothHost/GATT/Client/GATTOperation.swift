// What is asked of a peer's server: one object from the call to the result. It stands in the queue of the link's client
// itself, so nothing is looked up, and what was asked, its progress and its result are in one place.
//
//     open ── it has its result, or its link ends ──▶ ended ── reported ──▶ over ── asked once more ──▶ open
//       └── cancelled, or there is nothing to ask ───────────────────────▲
//
// open: it waits for its turn, or one of its requests is on its way. ended: the result waits for the driver, since who
// gets it calls the host. over: nothing more is reported.

public import NIOCore

/// What an operation is told in its turn; each time it names the next request, or has ended.
public enum GATTEvent {
    /// Its turn has come, and the results of everything before it are known.
    case turn
    /// The response that belongs to its request, opcode included.
    case response(ByteBuffer)
    /// An Error Response that belongs to its request.
    case error(ATTErrorResponse)
    /// An answer that does not belong to its request, or makes no sense.
    case malformed
}

/// One operation on a peer's server.
open class GATTOperation {
    private enum State {
        case open
        /// Ended with this error, or with a result of its own.
        case ended(GATTError?)
        case over
    }

    private var state = State.open
    /// Whether nothing else of the client may be sent until the operation ends.
    public final var isExclusive = false
    /// The value handle of Service Changed, once the operation has found it: an indication may overtake its end.
    public final var serviceChanged: AttributeHandle?

    /// An operation that was not asked for yet.
    public init() {}

    /// Takes its turn or an answer, and returns the next request; `nil` if the operation has ended, or has nothing to
    /// ask and has cancelled itself. In its turn it may call the host, later it may not.
    open func step(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        preconditionFailure("an operation has steps")
    }

    /// Takes the end, once: with this error, or with a result of its own.
    open func finish(_ error: GATTError?) {}

    /// Nobody waits for the result any more.
    public final func cancel() { self.state = .over }

    final var isOpen: Bool { if case .open = self.state { true } else { false } }

    /// It waits for its turn, perhaps once more.
    final func open() { self.state = .open }

    /// Ends it, unless it has ended.
    final func end(_ error: GATTError? = nil) { if case .open = self.state { self.state = .ended(error) } }

    /// Hands the result to who waits for it. Called by the driver, never inside a machine.
    final func report() {
        guard case .ended(let error) = self.state else { return }
        self.state = .over
        self.finish(error)
    }
}

/// An operation that is a procedure, with the closure that takes its result.
///
/// The type of the procedure is erased by closures, which are compiled for it: the methods of a generic class look it
/// up at run time, which costs a read more than all else that the client does for it.
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

    /// - Parameter procedure: Made when its turn comes; `nil` if there is nothing to ask.
    @inlinable
    convenience init<Procedure: GATTProcedure>(
        _ procedure: @escaping @autoclosure () -> Procedure?,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) {
        var made: Procedure?
        var result: Result<Procedure.Output, GATTError>?
        self.init { operation, event, mtu in
            if case .turn = event { made = procedure() }
            guard let step = made?.take(event, mtu: mtu) else {
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
