// What the commands that open credit-based channels carry (Vol 3, Part A, 4.22 to 4.28). Those of enhanced channels
// (4.25 to 4.28) are read and written so that they can be refused in the way that the specification wants.

import BluetoothTypes
import NIOCore

/// What one side takes on a channel, as each side announces it when the channel is opened.
struct CreditBasedParameters: Hashable, Sendable {
    /// The least MTU and MPS that either side may offer (4.22).
    static let minimumSize = 23
    /// The largest MPS.
    static let maximumMPS = 65_533
    /// The most credits that either side may hold.
    static let maximumCredits = 0xFFFF

    /// The longest SDU.
    var mtu: UInt16
    /// The longest frame payload.
    var mps: UInt16
    /// The frames that may be sent before more credits are given.
    var initialCredits: UInt16

    /// What stands in a response that refuses.
    static let none = CreditBasedParameters(mtu: 0, mps: 0, initialCredits: 0)

    /// Whether the sizes are in their ranges.
    var isAcceptable: Bool {
        Int(self.mtu) >= Self.minimumSize && Self.minimumSize...Self.maximumMPS ~= Int(self.mps)
    }
}

extension CreditBasedParameters {
    /// What this side offers; every value of a configuration fits.
    init(_ configuration: L2CAPChannelConfiguration) {
        self.init(
            mtu: UInt16(truncatingIfNeeded: configuration.mtu),
            mps: UInt16(truncatingIfNeeded: configuration.mps),
            initialCredits: UInt16(truncatingIfNeeded: configuration.window)
        )
    }

    fileprivate init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.initialCredits = try parameters.readLittleEndian("Initial Credits")
    }

    fileprivate func encode(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.mtu, self.mps, self.initialCredits, endianness: .little)
    }
}

/// A request for one channel (4.22).
struct LECreditBasedConnectionRequest: Hashable, Sendable {
    /// The service that the channel leads to.
    var spsm: SPSM
    /// The channel's CID at the sender.
    var source: CID
    /// What the sender takes.
    var parameters: CreditBasedParameters
}

extension LECreditBasedConnectionRequest {
    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.spsm = SPSM(rawValue: try parameters.readLittleEndian("SPSM"))
        self.source = try CID(parsing: &parameters, "Source CID")
        self.parameters = try CreditBasedParameters(parameters: &parameters)
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.spsm.rawValue, self.source.rawValue, endianness: .little)
        self.parameters.encode(into: &bytes)
    }
}

/// The response to a request for one channel (4.23).
struct LECreditBasedConnectionResponse: Hashable, Sendable {
    /// The channel's CID at the sender of the response.
    var destination: CID
    /// What the sender of the response takes.
    var parameters: CreditBasedParameters
    /// Whether the channel is open; all other fields count only then.
    var result: L2CAPConnectionResult

    init(destination: CID, parameters: CreditBasedParameters, result: L2CAPConnectionResult = .success) {
        self.destination = destination
        self.parameters = parameters
        self.result = result
    }

    /// No channel, because of `result`.
    init(refusing result: L2CAPConnectionResult) {
        self.init(destination: .null, parameters: .none, result: result)
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.destination = try CID(parsing: &parameters, "Destination CID")
        self.parameters = try CreditBasedParameters(parameters: &parameters)
        self.result = L2CAPConnectionResult(rawValue: try parameters.readLittleEndian("Result"))
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.destination.rawValue)
        self.parameters.encode(into: &bytes)
        bytes.writeLittleEndian(self.result.rawValue)
    }
}

/// A request for one to five enhanced channels (4.25).
struct CreditBasedConnectionRequest: Hashable, Sendable {
    /// The service that the channels lead to.
    var spsm: SPSM
    /// What the sender takes on each channel.
    var parameters: CreditBasedParameters
    /// The channels' CIDs at the sender, one to five.
    var sources: [CID]
}

extension CreditBasedConnectionRequest {
    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.spsm = SPSM(rawValue: try parameters.readLittleEndian("SPSM"))
        self.parameters = try CreditBasedParameters(parameters: &parameters)
        self.sources = try parameters.readCIDs("Source CID")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.spsm.rawValue)
        self.parameters.encode(into: &bytes)
        bytes.writeCIDs(self.sources)
    }
}

/// The response to a request for enhanced channels (4.26).
struct CreditBasedConnectionResponse: Hashable, Sendable {
    /// What the sender of the response takes on each channel.
    var parameters: CreditBasedParameters
    /// Whether there are channels.
    var result: L2CAPConnectionResult
    /// The channels' CIDs at the sender of the response, in the order of the request; 0 for one that was refused.
    var destinations: [CID]

    init(parameters: CreditBasedParameters, result: L2CAPConnectionResult, destinations: [CID]) {
        self.parameters = parameters
        self.result = result
        self.destinations = destinations
    }

    /// No channel of the `count` that were asked for, because of `result`.
    init(refusing result: L2CAPConnectionResult, count: Int) {
        self.init(parameters: .none, result: result, destinations: Array(repeating: .null, count: count))
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.parameters = try CreditBasedParameters(parameters: &parameters)
        self.result = L2CAPConnectionResult(rawValue: try parameters.readLittleEndian("Result"))
        self.destinations = try parameters.readCIDs("Destination CID")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        self.parameters.encode(into: &bytes)
        bytes.writeLittleEndian(self.result.rawValue)
        bytes.writeCIDs(self.destinations)
    }
}

/// A request for other sizes on enhanced channels that are open (4.27).
struct CreditBasedReconfigureRequest: Hashable, Sendable {
    /// The result that says that a channel does not exist (table 4.20).
    static let invalidDestination: UInt16 = 0x0003

    /// The longest SDU that the sender takes from now on.
    var mtu: UInt16
    /// The longest frame payload that the sender takes from now on.
    var mps: UInt16
    /// The channels, by their CIDs at the receiver.
    var destinations: [CID]
}

extension CreditBasedReconfigureRequest {
    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.destinations = try parameters.readCIDs("Destination CID")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.mtu, self.mps, endianness: .little)
        bytes.writeCIDs(self.destinations)
    }
}

extension ByteBuffer {
    /// Reads the channels that end a command: one to five.
    fileprivate mutating func readCIDs(_ field: StaticString) throws(MalformedBytes) -> [CID] {
        guard 1...5 ~= self.readableBytes / 2 else { throw MalformedBytes(.invalid, field) }
        var channels: [CID] = []
        while self.readableBytes >= 2 { channels.append(try CID(parsing: &self, field)) }
        return channels
    }

    fileprivate mutating func writeCIDs(_ channels: [CID]) {
        for channel in channels { self.writeLittleEndian(channel.rawValue) }
    }
}
