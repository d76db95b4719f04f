// A procedure in the queue of a bearer, together with the closure that takes its result. The queue holds procedures of
// every kind, so their types are erased here, and only here: the result goes from the procedure to its closure in one
// generic value, and a result of a wrong type cannot be written.
//
// What erases the type is a closure over that value. It is compiled for the type of its procedure, also in the module
// that asks for it, where the methods of a generic class would be the same for all types and look them up at run time,
// which cost a read more than all else that the bearer does for it.

public import NIOCore

/// What a bearer learns from a procedure before its owner does.
@usableFromInline
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

/// A procedure of any kind, and the closure that takes its result.
///
///     waiting ── made ──▶ open ── ended ──▶ ended ── reported ──▶ over
///        │                  └── cancelled ───────────────────────▲
///        ├── cancelled, or there is nothing to ask ──────────────┤
///        └── failed ──▶ ended                                    │
@usableFromInline
final class OwnedProcedure {
    private enum State {
        /// It is made when its turn comes.
        case waiting
        /// It waits for its turn, or runs.
        case open
        /// It has ended: with this error, or with a result of its own.
        case ended(GATTError?)
        /// Nothing more is reported.
        case over
    }

    /// What a procedure of any kind is to do.
    @usableFromInline
    enum Call {
        case make
        case begin(mtu: Int)
        case receive(GATTProcedureEvent, mtu: Int)
        /// Hands the result to the owner: this error, or a result of its own.
        case report(GATTError?)
    }

    /// What has come of that.
    @usableFromInline
    enum Outcome {
        /// There is a procedure.
        case made
        /// The next request.
        case request(ByteBuffer, isExclusive: Bool, BearerFinding?)
        /// There is nothing to ask, or nothing more.
        case nothing(BearerFinding?)
    }

    let id: GATTProcedureID
    /// Whether write commands wait until it has ended.
    private(set) var isExclusive = false
    /// What the bearer itself learns from the procedure so far.
    private(set) var finding: BearerFinding?
    private var state: State
    private let call: (Call) -> Outcome

    @usableFromInline
    init(id: GATTProcedureID, isMade: Bool, call: @escaping (Call) -> Outcome) {
        self.id = id
        self.state = isMade ? .open : .waiting
        self.call = call
    }

    /// Whether it can begin: it needs not be made, or was.
    var isOpen: Bool { if case .open = self.state { true } else { false } }

    /// Makes a procedure that is made when its turn comes. Called by the driver, never inside the machine.
    func make() {
        guard case .waiting = self.state, case .made = self.call(.make) else { return self.cancelWaiting() }
        // Its maker may have cancelled it, or ended the link.
        if case .waiting = self.state { self.state = .open }
    }

    private func cancelWaiting() { if case .waiting = self.state { self.state = .over } }

    /// The first request; `nil` where the procedure has ended without one.
    func begin(mtu: Int) -> ByteBuffer? { self.take(self.call(.begin(mtu: mtu))) }

    /// The next request; `nil` where the procedure has ended.
    func receive(_ event: GATTProcedureEvent, mtu: Int) -> ByteBuffer? {
        self.take(self.call(.receive(event, mtu: mtu)))
    }

    private func take(_ outcome: consuming Outcome) -> ByteBuffer? {
        switch consume outcome {
        case .request(let pdu, let isExclusive, let finding):
            self.isExclusive = isExclusive
            self.finding = finding
            return pdu
        case .nothing(let finding):
            self.finding = finding
            self.end(nil)
            return nil
        case .made: preconditionFailure("a procedure is made once")
        }
    }

    /// Ends it without a result.
    func fail(_ error: GATTError) { self.end(error) }

    private func end(_ error: GATTError?) {
        switch self.state {
        case .waiting, .open: self.state = .ended(error)
        case .ended, .over: break
        }
    }

    /// Its owner no longer waits: nothing is reported.
    func cancel() { self.state = .over }

    /// Hands the result to the owner. Called by the driver, never inside the machine.
    func report() {
        guard case .ended(let error) = self.state else { return }
        self.state = .over
        _ = self.call(.report(error))
    }
}

extension OwnedProcedure {
    @usableFromInline typealias Completion<Procedure: GATTProcedure> = (Result<Procedure.Output, GATTError>) -> Void

    /// A procedure, and the closure that takes its result.
    @inlinable
    convenience init<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        id: GATTProcedureID,
        completion: @escaping Completion<Procedure>
    ) {
        self.init(id: id, isMade: true, ProcedureRun(.running(procedure), completion: completion))
    }

    /// A closure that makes a procedure when its turn comes, or `nil` where nothing is to be asked, and the one that
    /// takes its result.
    @inlinable
    convenience init<Procedure: GATTProcedure>(
        id: GATTProcedureID,
        make: @escaping () -> Procedure?,
        completion: @escaping Completion<Procedure>
    ) {
        self.init(id: id, isMade: false, ProcedureRun(.waiting(make), completion: completion))
    }

    /// A procedure that has its result without asking.
    convenience init<Procedure: GATTProcedure>(
        _: Procedure.Type,
        endedWith result: Result<Procedure.Output, GATTError>,
        id: GATTProcedureID,
        completion: @escaping Completion<Procedure>
    ) {
        self.init(id: id, isMade: true, ProcedureRun<Procedure>(.ended(result), completion: completion))
        self.end(nil)
    }

    /// A procedure from which the bearer learns, and the closure that takes its result.
    convenience init<Procedure: BearerFindingProcedure>(
        finding procedure: Procedure,
        id: GATTProcedureID,
        completion: @escaping Completion<Procedure>
    ) {
        self.init(id: id, isMade: true, ProcedureRun(.running(procedure), completion: completion) { $0.finding })
    }

    /// A closure that makes a procedure from which the bearer learns, and the one that takes its result.
    convenience init<Procedure: BearerFindingProcedure>(
        id: GATTProcedureID,
        makeFinding make: @escaping () -> Procedure?,
        completion: @escaping Completion<Procedure>
    ) {
        self.init(id: id, isMade: false, ProcedureRun(.waiting(make), completion: completion) { $0.finding })
    }

    @inlinable
    convenience init<Procedure: GATTProcedure>(id: GATTProcedureID, isMade: Bool, _ run: ProcedureRun<Procedure>) {
        var run = run
        self.init(id: id, isMade: isMade) { call in
            switch call {
            case .make: return run.make()
            case .begin(let mtu): return run.take { $0.begin(mtu: mtu) }
            case .receive(let event, let mtu): return run.take { $0.handle(event, mtu: mtu) }
            case .report(let error):
                let result = run.takeResult(error)
                let completion = run.completion
                if let result { completion(result) }
                return .nothing(nil)
            }
        }
    }
}

/// A procedure of one kind, then its result, and the closure that takes the result.
@usableFromInline
struct ProcedureRun<Procedure: GATTProcedure> {
    @usableFromInline
    enum Stage {
        case waiting(() -> Procedure?)
        case running(Procedure)
        case ended(Result<Procedure.Output, GATTError>)
        /// There is nothing to ask, or the result is reported.
        case over
    }

    @usableFromInline var stage: Stage
    @usableFromInline let completion: OwnedProcedure.Completion<Procedure>
    @usableFromInline let finding: (Procedure) -> BearerFinding?

    @inlinable
    init(
        _ stage: Stage,
        completion: @escaping OwnedProcedure.Completion<Procedure>,
        finding: @escaping (Procedure) -> BearerFinding? = { _ in nil }
    ) {
        self.stage = stage
        self.completion = completion
        self.finding = finding
    }

    @inlinable
    mutating func make() -> OwnedProcedure.Outcome {
        guard case .waiting(let make) = self.stage else { return .nothing(nil) }
        guard let procedure = make() else {
            self.stage = .over
            return .nothing(nil)
        }
        self.stage = .running(procedure)
        return .made
    }

    /// Lets the procedure take a step.
    @inlinable
    mutating func take(_ step: (inout Procedure) -> GATTStep<Procedure.Output>) -> OwnedProcedure.Outcome {
        let stage = self.stage
        // Taken out: what a discovery has found would be copied each time that it grows.
        self.stage = .over
        switch consume stage {
        case .running(var procedure):
            switch step(&procedure) {
            case .request(let pdu):
                let finding = self.finding(procedure)
                let isExclusive = procedure.isExclusive
                self.stage = .running(procedure)
                return .request(pdu, isExclusive: isExclusive, finding)
            case .finish(let result):
                self.stage = .ended(result)
                return .nothing(self.finding(procedure))
            }
        case .waiting(let make): self.stage = .waiting(make)
        case .ended(let result): self.stage = .ended(result)
        case .over: break
        }
        return .nothing(nil)
    }

    /// The result, once: this error, or the procedure's own result.
    @inlinable
    mutating func takeResult(_ error: GATTError?) -> Result<Procedure.Output, GATTError>? {
        let stage = self.stage
        self.stage = .over
        if let error { return .failure(error) }
        return switch stage {
        case .ended(let result): result
        case .waiting, .running, .over: nil
        }
    }
}
