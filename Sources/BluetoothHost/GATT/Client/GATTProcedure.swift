// What a GATT procedure is (Vol 3, Part G, 4.2): a value that says which request to send first, and after each answer
// what to send next or how it ended. The bearer's queue does the rest: order, the time limit, and whether an answer
// belongs to the request. One procedure is described in one file beside this one, with the type of its result.

public import BluetoothTypes
public import NIOCore

/// What a procedure does next.
public enum GATTStep<Output: Sendable>: Sendable {
    /// It sends this ATT request, opcode included, and waits for the answer.
    case request(ByteBuffer)
    /// It has ended.
    case finish(Result<Output, GATTError>)
}

extension GATTStep {
    /// Sends `pdu`.
    @inline(__always)
    static func send(_ pdu: some ATTPDU) -> GATTStep { .request(pdu.encoded()) }

    /// Ends with a result.
    @inline(__always)
    static func succeed(_ output: Output) -> GATTStep { .finish(.success(output)) }

    /// Ends with an error.
    @inline(__always)
    static func fail(_ error: GATTError) -> GATTStep { .finish(.failure(error)) }

    /// Ends with the server's error.
    @inline(__always)
    static func fail(_ error: ATTErrorResponse) -> GATTStep {
        .finish(.failure(.att(error.error, handle: error.handle)))
    }
}

/// A GATT procedure of a client, before and while it runs (Vol 3, Part G, 4.2).
///
/// ``LEHost/perform(_:on:completion:)`` runs it. A procedure has one request on its way at a time; it is given each
/// answer and names the next request, or its result. What a server answers is checked by the procedure: a response that
/// the specification does not allow is thrown as `MalformedBytes`.
public protocol GATTProcedure: Sendable {
    /// What the procedure finds.
    associatedtype Output: Sendable

    /// Whether nothing else of the client may be sent until the procedure ends: write commands that were asked for
    /// later wait behind it. Looked at after each request.
    var isExclusive: Bool { get }

    /// The value handle of Service Changed, once the procedure has found it: an indication of it may overtake the end.
    var serviceChanged: AttributeHandle? { get }

    /// The first request.
    /// - Parameter mtu: The ATT MTU of the link in octets, now.
    mutating func begin(mtu: Int) -> GATTStep<Output>

    /// Takes the response, opcode included; it is the one that belongs to the request.
    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Output>

    /// Takes an Error Response that belongs to the request.
    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Output>

    /// Takes an answer that does not belong to the request or cannot be read.
    mutating func receiveMalformed(mtu: Int) -> GATTStep<Output>
}

extension GATTProcedure {
    /// Write commands may be sent while the answer to a request is awaited.
    public var isExclusive: Bool { false }

    /// It does not look for it.
    public var serviceChanged: AttributeHandle? { nil }

    /// The error ends the procedure.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Output> {
        .finish(.failure(.att(error.error, handle: error.handle)))
    }

    /// Ends with ``GATTError/malformedResponse``.
    public mutating func receiveMalformed(mtu: Int) -> GATTStep<Output> { .finish(.failure(.malformedResponse)) }

    /// Takes its turn or an answer.
    @inlinable
    package mutating func take(_ event: GATTEvent, mtu: Int) -> GATTStep<Output> {
        switch event {
        case .turn:
            return self.begin(mtu: mtu)
        case .response(let pdu):
            do throws(MalformedBytes) {
                return try self.receive(pdu, mtu: mtu)
            } catch {
                return self.receiveMalformed(mtu: mtu)
            }
        case .error(let error):
            return self.receive(error, mtu: mtu)
        case .malformed:
            return self.receiveMalformed(mtu: mtu)
        }
    }
}

/// A value with the handle of its attribute.
public struct AttributeValue: Hashable, Sendable {
    /// The attribute.
    public var handle: AttributeHandle
    /// The octets.
    public var value: ByteBuffer

    /// Creates a value.
    public init(handle: AttributeHandle, value: ByteBuffer) {
        self.handle = handle
        self.value = value
    }
}
