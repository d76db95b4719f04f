// The central role: finds peripherals and connects to them.

public import Foundation

/// Scans for peripherals, discovers and connects to them.
open class CBCentralManager: CBManager {
    /// What a system can do beyond the basics.
    public struct Feature: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Features from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Extended advertisements are heard and connected to.
        public static let extendedScanAndConnect = Feature(rawValue: 0x01)
        /// Distances can be measured with Channel Sounding.
        public static let channelSounding = Feature(rawValue: 0x400)
    }

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that tells `delegate` on `queue`; `nil` is the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager with options.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        preconditionFailure("in the making")
    }

    /// Who is told what happens.
    open weak var delegate: (any CBCentralManagerDelegate)?
    /// Whether the manager scans.
    open var isScanning: Bool { preconditionFailure("in the making") }
    /// Whether this system has features.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool { features.isEmpty }
    /// Peripherals that are known by identifier.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        preconditionFailure("in the making")
    }
    /// Peripherals that are connected, to whichever app.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        preconditionFailure("in the making")
    }
    /// Starts scanning.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        preconditionFailure("in the making")
    }
    /// Stops scanning.
    open func stopScan() { preconditionFailure("in the making") }
    /// Connects.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        preconditionFailure("in the making")
    }
    /// Ends a connection.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) { preconditionFailure("in the making") }
    /// Asks to be told of peers that come and go.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        preconditionFailure("in the making")
    }
}
