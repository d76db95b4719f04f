// The recipe "A protocol with an initializer" of the page "Porting an app".

import CoreBluetooth

/// As much of a manager as the app uses, for a mock beside it.
protocol CentralManaging: AnyObject {
    var state: CBManagerState { get }
    func stopScan()
}

extension CBCentralManager: CentralManaging {}

/// In place of `init(delegate:queue:)` as a requirement of the protocol, which an extension of a class cannot fulfil.
struct CentralFactory {
    var make: (_ delegate: (any CBCentralManagerDelegate)?, _ queue: DispatchQueue?) -> any CentralManaging = {
        CBCentralManager(delegate: $0, queue: $1)
    }
}
