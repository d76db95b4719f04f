/// Finds balls and connects to them.
final class BallFinder: NSObject {
    /// Called with each ball that is connected.
    var onConnect: (CBPeripheral) -> Void = { _ in }
    /// Called with each ball whose connection is lost or never came to be.
    var onLoss: (CBPeripheral) -> Void = { _ in }
    /// The balls that were found. Core Bluetooth keeps no peripheral that the app does not keep.
    var balls: [CBPeripheral] = []
    private var central: CBCentralManager?

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }
}
