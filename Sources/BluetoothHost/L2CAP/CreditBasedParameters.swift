// What the commands that open credit-based channels carry (Vol 3, Part A, 4.22 to 4.28). Those of enhanced channels
// (4.25 to 4.28) are read and written so that they can be refused in the way that the specification wants. Each lists
// its fields once, in wire order, for the coders of BluetoothHCI.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// What one side takes on a channel, as each side announces it when the channel is opened.
struct CreditBasedParameters: HCIParameters {
    /// The least MTU and MPS that either side may offer (4.22).
    static let minimumSize = L2CAP.minimumMTU
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

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mtu = try coder.field("MTU", \.mtu)
        self.mps = try coder.field("MPS", \.mps)
        self.initialCredits = try coder.field("Initial Credits", \.initialCredits)
    }
}

/// A request for one channel (4.22).
struct LECreditBasedConnectionRequest: HCIParameters {
    /// The service that the channel leads to.
    var spsm: SPSM
    /// The channel's CID at the sender.
    var source: CID
    /// What the sender takes.
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

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.destination = try coder.field("Destination CID", \.destination)
        self.parameters = try coder.group(\.parameters)
        self.result = L2CAPConnectionResult(rawValue: try coder.field("Result", \.result.rawValue))
    }
}

/// A request for one to five enhanced channels (4.25).
struct CreditBasedConnectionRequest: HCIParameters {
    /// The service that the channels lead to.
    var spsm: SPSM
    /// What the sender takes on each channel.
    var parameters: CreditBasedParameters
    /// The channels' CIDs at the sender, one to five.
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

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.parameters = try coder.group(\.parameters)
        self.result = L2CAPConnectionResult(rawValue: try coder.field("Result", \.result.rawValue))
        self.destinations = try coder.channels("Destination CID", \.destinations)
    }
}

/// A request for other sizes on enhanced channels that are open (4.27).
struct CreditBasedReconfigureRequest: HCIParameters {
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
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mtu = try coder.field("MTU", \.mtu)
        self.mps = try coder.field("MPS", \.mps)
        self.destinations = try coder.channels("Destination CID", \.destinations)
    }
}

extension CID: HCIParameter {}

extension HCIParameterCoder {
    /// The channels that end a command: one to five.
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
