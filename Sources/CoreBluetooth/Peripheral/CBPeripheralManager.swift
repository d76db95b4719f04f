// The peripheral role: publishes services and advertises them.

public import Foundation

/// Publishes services, advertises, answers centrals.
open class CBPeripheralManager: CBManager {
    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that tells `delegate` on `queue`; `nil` is the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager with options.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        preconditionFailure("in the making")
    }

    /// Who is told what happens.
    open weak var delegate: (any CBPeripheralManagerDelegate)?
    /// Whether the manager advertises.
    open var isAdvertising: Bool { preconditionFailure("in the making") }
    /// Whether this app may share data in the background: on Linux always.
    @available(*, deprecated, message: "Use CBManager.authorization.")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }
    /// Starts advertising.
    open func startAdvertising(_ advertisementData: [String: Any]?) { preconditionFailure("in the making") }
    /// Stops advertising.
    open func stopAdvertising() { preconditionFailure("in the making") }
    /// Sets how soon a central should hear from this app.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        preconditionFailure("in the making")
    }
    /// Publishes a service.
    open func add(_ service: CBMutableService) { preconditionFailure("in the making") }
    /// Withdraws a service.
    open func remove(_ service: CBMutableService) { preconditionFailure("in the making") }
    /// Withdraws all services.
    open func removeAllServices() { preconditionFailure("in the making") }
    /// Answers a request.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        preconditionFailure("in the making")
    }
    /// Sends a new value to subscribed centrals.
    @discardableResult
    open func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool { preconditionFailure("in the making") }
    /// Publishes an L2CAP channel.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) { preconditionFailure("in the making") }
    /// Withdraws an L2CAP channel.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) { preconditionFailure("in the making") }
}
