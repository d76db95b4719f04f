// The parameters of the commands that open credit-based channels (Vol 3, Part A, 4.22 to 4.28). Those of enhanced
// channels (4.25 to 4.28) are decoded so that they can be refused as the specification requires. Each lists its fields
// once, in wire order, for the coders of BluetoothHCI.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The limits of one side of a channel, announced when the channel is opened.
struct CreditBasedParameters: HCIParameters {
    /// The smallest allowed MTU and MPS (4.22).
    static let minimumSize = L2CAP.minimumMTU
    /// The largest MPS.
    static let maximumMPS = 65_533
    /// The largest number of credits.
    static let maximumCredits = 0xFFFF

    /// The longest SDU.
    var mtu: UInt16
    /// The longest frame payload.
    var mps: UInt16
    /// The number of frames that may be sent before more credits are given.
    var initialCredits: UInt16

    /// The values in a response that refuses.
    static let none = CreditBasedParameters(mtu: 0, mps: 0, initialCredits: 0)

    /// Whether the sizes are in their ranges.
    var isAcceptable: Bool {
        Int(self.mtu) >= Self.minimumSize && Self.minimumSize...Self.maximumMPS ~= Int(self.mps)
    }
}

extension CreditBasedParameters {
    /// The parameters of a configuration, whose values are all in range.
    init(_ configuration: L2CAPChannelConfiguration) {
        self.init(
            mtu: UInt16(truncatingIfNeeded: configuration.mtu),
            mps: UInt16(truncatingIfNeeded: configuration.mps),
            initialCredits: UInt16(truncatingIfNeeded: configuration.window)
        )
    }

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mtu = try coder.field("MTU", \.mtu)
        self.mps = try coder.field("MPS", \.mps)
        self.initialCredits = try coder.field("Initial Credits", \.initialCredits)
    }
}

/// A request for one channel (4.22).
struct LECreditBasedConnectionRequest: HCIParameters {
    /// The service.
    var spsm: SPSM
    /// The sender's CID.
    var source: CID
    /// The sender's limits.
    var parameters: CreditBasedParameters
}

extension LECreditBasedConnectionRequest {
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.spsm = SPSM(rawValue: try coder.field("SPSM", \.spsm.rawValue))
        self.source = try coder.field("Source CID", \.source)
        self.parameters = try coder.group(\.parameters)
    }
}

/// The response to a request for one channel (4.23).
struct LECreditBasedConnectionResponse: HCIParameters {
    /// The CID of the sender of the response.
    var destination: CID
    /// The limits of the sender of the response.
    var parameters: CreditBasedParameters
    /// The result; all other fields count only if the channel is open.
    var result: L2CAPConnectionResult

    init(destination: CID, parameters: CreditBasedParameters, result: L2CAPConnectionResult = .success) {
        self.destination = destination
        self.parameters = parameters
        self.result = result
    }

    /// Refuses with `result`.
    init(refusing result: L2CAPConnectionResult) {
        self.init(destination: .null, parameters: .none, result: result)
    }

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.destination = try coder.field("Destination CID", \.destination)
        self.parameters = try coder.group(\.parameters)
        self.result = L2CAPConnectionResult(rawValue: try coder.field("Result", \.result.rawValue))
    }
}

/// A request for one to five enhanced channels (4.25).
struct CreditBasedConnectionRequest: HCIParameters {
    /// The service.
    var spsm: SPSM
    /// The sender's limits for each channel.
    var parameters: CreditBasedParameters
    /// The sender's CIDs, one to five.
    var sources: [CID]
}

extension CreditBasedConnectionRequest {
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.spsm = SPSM(rawValue: try coder.field("SPSM", \.spsm.rawValue))
        self.parameters = try coder.group(\.parameters)
        self.sources = try coder.channels("Source CID", \.sources)
    }
}

/// The response to a request for enhanced channels (4.26).
struct CreditBasedConnectionResponse: HCIParameters {
    /// The limits of the sender of the response for each channel.
    var parameters: CreditBasedParameters
    /// The result.
    var result: L2CAPConnectionResult
    /// The CIDs of the sender of the response, in the order of the request; 0 for a refused channel.
    var destinations: [CID]

    init(parameters: CreditBasedParameters, result: L2CAPConnectionResult, destinations: [CID]) {
        self.parameters = parameters
        self.result = result
        self.destinations = destinations
    }

    /// Refuses all `count` requested channels with `result`.
    init(refusing result: L2CAPConnectionResult, count: Int) {
        self.init(parameters: .none, result: result, destinations: Array(repeating: .null, count: count))
    }

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.parameters = try coder.group(\.parameters)
        self.result = L2CAPConnectionResult(rawValue: try coder.field("Result", \.result.rawValue))
        self.destinations = try coder.channels("Destination CID", \.destinations)
    }
}

/// A request for other limits of open enhanced channels (4.27).
struct CreditBasedReconfigureRequest: HCIParameters {
    /// The result for a channel that does not exist (table 4.20).
    static let invalidDestination: UInt16 = 0x0003

    /// The new longest SDU of the sender.
    var mtu: UInt16
    /// The new longest frame payload of the sender.
    var mps: UInt16
    /// The receiver's CIDs of the channels.
    var destinations: [CID]
}

extension CreditBasedReconfigureRequest {
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mtu = try coder.field("MTU", \.mtu)
        self.mps = try coder.field("MPS", \.mps)
        self.destinations = try coder.channels("Destination CID", \.destinations)
    }
}

extension CID: HCIParameter {}

extension HCIParameterCoder {
    /// Reads the channels at the end of a command: one to five.
    fileprivate mutating func channels(
        _ name: StaticString,
        _ value: (Source) -> [CID]
    ) throws(Failure) -> [CID] {
        try self.field(
            name,
            value,
            read: { bytes throws(MalformedBytes) in
                guard 1...5 ~= bytes.readableBytes / 2 else { throw MalformedBytes(.invalid, name) }
                var channels: [CID] = []
                while bytes.readableBytes >= 2 { channels.append(try CID.read(from: &bytes, name)) }
                return channels
            },
            write: { for channel in $0 { channel.write(into: &$1) } },
            text: \.description
        )
    }
}
