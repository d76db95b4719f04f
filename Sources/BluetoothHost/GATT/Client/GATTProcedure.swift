// GATT procedures (Vol 3, Part G, 4.2): a procedure is a value that returns its first request, and for each answer the
// next request or its result. The client's queue does the rest: order, the time limit, and whether an answer belongs to
// the request. Each procedure has a file beside this one, with the type of its result.

public import BluetoothTypes
public import NIOCore

/// The next step of a procedure.
public enum GATTStep<Output: Sendable>: Sendable {
    /// Send this ATT request, opcode included, and wait for the answer.
    case request(ByteBuffer)
    /// End with this result.
    case finish(Result<Output, GATTError>)
}

extension GATTStep {
    @inline(__always)
    static func send(_ pdu: some ATTPDU) -> GATTStep { .request(pdu.encoded()) }

    @inline(__always)
    static func succeed(_ output: Output) -> GATTStep { .finish(.success(output)) }

    @inline(__always)
    static func fail(_ error: GATTError) -> GATTStep { .finish(.failure(error)) }

    /// Ends with the server's error.
    @inline(__always)
    static func fail(_ error: ATTErrorResponse) -> GATTStep {
        .finish(.failure(.att(error.error, handle: error.handle)))
    }

    /// The same step of a procedure with another result.
    func map<Other>(_ body: (Output) -> Other) -> GATTStep<Other> {
        switch self {
        case .request(let pdu): .request(pdu)
        case .finish(let result): .finish(result.map(body))
        }
    }
}

/// A GATT procedure of a client, before and while it runs (Vol 3, Part G, 4.2).
///
/// ``LEHost/perform(_:on:completion:)`` runs it. A procedure has one request on its way at a time; it is given each
/// answer and names the next request, or its result. The procedure checks what a server answers: a response that the
/// specification does not allow is one that cannot be read.
public protocol GATTProcedure: Sendable {
    /// The result of the procedure.
    associatedtype Output: Sendable

    /// Whether nothing else of the client may be sent until the procedure ends: write commands that were asked for
    /// later wait behind it. Looked at after each request.
    var isExclusive: Bool { get }

    /// The value handle of Service Changed, once the procedure has found it: an indication of it may overtake the end.
    var serviceChanged: AttributeHandle? { get }

    /// Takes its turn or an answer.
    /// - Parameters:
    ///   - event: The turn, or the answer.
    ///   - mtu: The ATT MTU of the link, in octets.
    mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<Output>
}

extension GATTProcedure {
    /// Write commands may be sent while the answer to a request is awaited.
    public var isExclusive: Bool { false }

    /// It does not look for it.
    public var serviceChanged: AttributeHandle? { nil }
}

/// A procedure that makes requests of its own, rather than by other procedures: it has a method for each kind of event.
public protocol GATTRequestProcedure: GATTProcedure {
    /// The result of the procedure.
    associatedtype Output

    /// The first request.
    mutating func begin(mtu: Int) -> GATTStep<Output>

    /// Takes the response, opcode included; it is the one that belongs to the request.
    /// - Throws: If it cannot be read, which ``receiveMalformed(mtu:)`` handles.
    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Output>

    /// Takes an Error Response that belongs to the request.
    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Output>

    /// Takes an answer that does not belong to the request or cannot be read.
    mutating func receiveMalformed(mtu: Int) -> GATTStep<Output>
}

extension GATTRequestProcedure {
    /// The error ends the procedure.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Output> {
        .finish(.failure(.att(error.error, handle: error.handle)))
    }

    /// Ends with ``GATTError/malformedResponse``.
    public mutating func receiveMalformed(mtu: Int) -> GATTStep<Output> { .finish(.failure(.malformedResponse)) }

    /// Calls the method for the event.
    @inlinable
    public mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<Output> {
        switch event {
        case .turn: return self.begin(mtu: mtu)
        case .response(let pdu):
            do throws(MalformedBytes) {
                return try self.receive(pdu, mtu: mtu)
            } catch {
                return self.receiveMalformed(mtu: mtu)
            }
        case .error(let error): return self.receive(error, mtu: mtu)
        case .malformed: return self.receiveMalformed(mtu: mtu)
        }
    }
}

/// A value with the handle of its attribute.
public struct AttributeValue: Hashable, Sendable {
    /// The attribute.
    package var handle: AttributeHandle
    /// The octets.
    package var value: ByteBuffer

    /// Creates a value.
    public init(handle: AttributeHandle, value: ByteBuffer) {
        self.handle = handle
        self.value = value
    }
}
