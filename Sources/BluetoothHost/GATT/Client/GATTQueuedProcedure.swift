// A procedure in the queue of a bearer, together with the closure that takes its result. The queue holds procedures of
// every kind, so their types are erased here, and only here: the result goes from the procedure to its closure in one
// generic class, and a result of a wrong type cannot be written.

import NIOCore

/// Something in the queue whose owner waits for a result.
protocol GATTQueuedProcedure: AnyObject {
    var id: GATTProcedureID { get }
    /// Ends it without a result.
    func fail(_ error: GATTError)
    /// Its owner no longer waits: nothing is reported.
    func cancel()
    /// Hands the result to the owner. Called by the driver, never inside the machine.
    func report()
}

/// A procedure that waits for its turn or runs.
protocol GATTRunningProcedure: GATTQueuedProcedure {
    /// Whether write commands wait until it has ended.
    var isExclusive: Bool { get }
    /// What the bearer itself learns from the procedure so far.
    var finding: BearerFinding? { get }
    /// The first request; `nil` where the procedure has ended without one.
    func begin(mtu: Int) -> ByteBuffer?
    /// The next request; `nil` where the procedure has ended.
    func receive(_ event: GATTProcedureEvent, mtu: Int) -> ByteBuffer?
}

/// A procedure that is made when its turn comes.
protocol GATTDeferredProcedure: GATTQueuedProcedure {
    /// Makes it; `nil` where nothing is to be asked. Called by the driver, never inside the machine.
    func make() -> (any GATTRunningProcedure)?
}

/// What a bearer learns from a procedure before its owner does.
enum BearerFinding {
    /// The ATT MTU that was agreed on.
    case mtu(Int)
    /// The value handle of Service Changed: an indication of it may overtake the end of the procedure.
    case serviceChanged(AttributeHandle)
}

/// A procedure from which the bearer learns.
protocol BearerFindingProcedure: GATTProcedure {
    /// What is known so far.
    var finding: BearerFinding? { get }
}

/// A procedure and the closure that takes its result.
class OwnedProcedure<Procedure: GATTProcedure>: GATTRunningProcedure {
    typealias Completion = (Result<Procedure.Output, GATTError>) -> Void

    private enum State {
        case open
        case ended(Result<Procedure.Output, GATTError>)
        case cancelled
    }

    let id: GATTProcedureID
    fileprivate(set) var procedure: Procedure
    private let completion: Completion
    private var state = State.open

    init(_ procedure: Procedure, id: GATTProcedureID, completion: @escaping Completion) {
        self.id = id
        self.procedure = procedure
        self.completion = completion
    }

    var isExclusive: Bool { self.procedure.isExclusive }
    var finding: BearerFinding? { nil }

    func begin(mtu: Int) -> ByteBuffer? { self.take(self.procedure.begin(mtu: mtu)) }

    func receive(_ event: GATTProcedureEvent, mtu: Int) -> ByteBuffer? {
        self.take(self.procedure.handle(event, mtu: mtu))
    }

    private func take(_ step: GATTStep<Procedure.Output>) -> ByteBuffer? {
        switch step {
        case .request(let pdu):
            return pdu
        case .finish(let result):
            self.end(result)
            return nil
        }
    }

    private func end(_ result: Result<Procedure.Output, GATTError>) {
        switch self.state {
        case .open: self.state = .ended(result)
        case .ended, .cancelled: break
        }
    }

    /// Ends it with a result that is known without asking.
    func succeed(_ output: Procedure.Output) { self.end(.success(output)) }

    func fail(_ error: GATTError) { self.end(.failure(error)) }

    func cancel() { self.state = .cancelled }

    func report() {
        switch self.state {
        case .ended(let result):
            self.state = .cancelled
            self.completion(result)
        case .open, .cancelled: break
        }
    }
}

/// A procedure from which the bearer learns, and the closure that takes its result.
final class OwnedFindingProcedure<Procedure: BearerFindingProcedure>: OwnedProcedure<Procedure> {
    override var finding: BearerFinding? { self.procedure.finding }
}

/// A closure that makes a procedure when its turn comes, and the one that takes its result.
class OwnedDeferredProcedure<Procedure: GATTProcedure>: GATTDeferredProcedure {
    typealias Completion = (Result<Procedure.Output, GATTError>) -> Void

    private enum State {
        case open
        case failed(GATTError)
        /// Made, cancelled or reported.
        case over
    }

    let id: GATTProcedureID
    private let maker: () -> Procedure?
    private let completion: Completion
    private var state = State.open

    init(id: GATTProcedureID, make: @escaping () -> Procedure?, completion: @escaping Completion) {
        self.id = id
        self.maker = make
        self.completion = completion
    }

    func make() -> (any GATTRunningProcedure)? {
        guard case .open = self.state else { return nil }
        let procedure = self.maker()
        // Its maker may have cancelled it, or ended the link.
        guard case .open = self.state else { return nil }
        self.state = .over
        return procedure.map { self.own($0, completion: self.completion) }
    }

    func own(_ procedure: Procedure, completion: @escaping Completion) -> OwnedProcedure<Procedure> {
        OwnedProcedure(procedure, id: self.id, completion: completion)
    }

    func fail(_ error: GATTError) {
        if case .open = self.state { self.state = .failed(error) }
    }

    func cancel() { self.state = .over }

    func report() {
        guard case .failed(let error) = self.state else { return }
        self.state = .over
        self.completion(.failure(error))
    }
}

/// A closure that makes a procedure from which the bearer learns.
final class OwnedDeferredFindingProcedure<Procedure: BearerFindingProcedure>: OwnedDeferredProcedure<Procedure> {
    override func own(_ procedure: Procedure, completion: @escaping Completion) -> OwnedProcedure<Procedure> {
        OwnedFindingProcedure(procedure, id: self.id, completion: completion)
    }
}
