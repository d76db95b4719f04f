// The half that scans: it connects, listens, answers and leaves, or stays and goes on talking.

public import CoreBluetooth
public import Foundation

/// The half of the messenger that scans.
public enum CentralRole {
    /// The events that a central's app shows as a line of status.
    ///
    /// A delegate that needs more conforms to ``MessageObserver``, too.
    public protocol BlueEar {
        /// Core Bluetooth's manager is created.
        func didStartConfiguration()
        /// The scan has started.
        func didStartScanningPeripherals()
        /// A peripheral is connected.
        func didConnectPeripheral(name: String?)
        /// A peripheral is disconnected.
        func didDisconnectPeripheral(name: String?)
        /// A message was written.
        func didSendData()
        /// A message was received.
        func didReceiveData()
        /// A connection failed, or the peripheral was silent; another attempt follows.
        func didFailConnection()
    }

    /// The stage of the central.
    internal enum Stage {
        /// There is no manager, or no adapter.
        case idle
        /// The scan is running.
        case scanning
        /// A connection was requested.
        case connecting(CBPeripheral)
        /// The peripheral is connected; service, characteristic and notifications are being requested.
        case exploring(CBPeripheral)
        /// Messages can be exchanged.
        case talking(CBPeripheral, CBCharacteristic)
        /// The link is being closed; then the central scans again after some seconds, or is done.
        case leaving(CBPeripheral, retryAfter: TimeInterval?)
        /// A connection was cancelled; the scan starts again after a delay.
        case pausing
        /// The central is done.
        case finished
    }

    /// Looks for a peripheral, and talks with it.
    ///
    /// It starts with ``scan()``. Use it on the main thread.
    public class BluetoothManager: NSObject {
        /// The service, see ``BlueEarService/serviceUUID``.
        public let serviceUUID: String = BlueEarService.serviceUUID
        /// The characteristic, see ``BlueEarService/characteristicUUID``.
        public let characteristicUUID: String = BlueEarService.characteristicUUID

        /// ``serviceUUID`` as a `CBUUID`.
        public internal(set) var serviceCBUUID: CBUUID?
        /// ``characteristicUUID`` as a `CBUUID`.
        public internal(set) var characteristicCBUUID: CBUUID?

        /// The observer, which the manager retains.
        public var blueEar: BlueEar?
        /// Core Bluetooth's manager, created by ``scan()``.
        public internal(set) var centralManager: CBCentralManager?

        /// The current peripheral, or the last one.
        public internal(set) var discoveredPeripheral: CBPeripheral?

        /// The answer to the first message of each link; `nil` sends nothing by itself.
        public var message: [String: String]? = ["Yo": "Lo"]
        /// Whether the link is kept after the first exchange, and established again when it is lost.
        ///
        /// Otherwise the central leaves once its answer is delivered.
        public var stays = false
        /// Whether messages that wait when the link is lost are sent on the next one.
        public var keepsWaiting = true
        /// Whether the last message is read, instead of subscribing to all.
        public var reads = false
        /// Whether to connect to a peripheral with a name; `nil` accepts every peripheral, even without a name.
        public var accepts: ((String) -> Bool)?
        /// The identifier under which the state outlives the app; set before ``scan()``.
        public var restoreIdentifier: String?

        /// Called with the name of each of Core Bluetooth's callbacks.
        public var log: ((String) -> Void)?

        /// The seconds since the user was last busy with something that the peripheral waits for, such as the code of a
        /// pairing; 0 while the user is, `nil` if the user never was. The time limits of the exploration are suspended
        /// meanwhile.
        public var userIdleTime: (() -> TimeInterval?)?

        /// Whether messages can be sent now; those that are sent earlier wait.
        public var isTalking: Bool {
            if case .talking = stage { return true }
            return false
        }

        /// Schedules work; replaced if time is not that of the main run loop.
        internal var scheduler: WorkScheduler = RunLoopScheduler()
        /// The stage of the central.
        internal var stage = Stage.idle
        /// The running time limit or pause.
        internal var timer: ScheduledWork?
        /// Reassembles messages from the peripheral.
        internal var assembler = MessageAssembler()
        /// The messages to the peripheral, the oldest first.
        internal var waiting: [OutgoingMessage] = []
        /// Whether a written value waits for its confirmation.
        internal var awaitsConfirmation = false
        /// Whether a message was received on this link, so that it was answered.
        internal var hasAnswered = false
        /// Whether a message was received on any link.
        internal var hasExchanged = false
        /// Whether the observer was last told that messages can be sent.
        internal var hasBegun = false
        /// Whether the link is to be closed once nothing waits any more.
        internal var isLeaving = false
        /// The peripheral's advertised name.
        internal var advertisedName: String?
        /// The peripheral to connect to once the adapter is on.
        internal var remembered: CBPeripheral?

        /// Creates the manager; it does nothing until ``scan()``.
        public convenience init(delegate: BlueEar) {
            self.init()
            blueEar = delegate
        }

        /// Creates the manager without an observer.
        public override init() {
            super.init()
            serviceCBUUID = UUID(uuidString: serviceUUID).map { CBUUID(nsuuid: $0) }
            characteristicCBUUID = UUID(uuidString: characteristicUUID).map { CBUUID(nsuuid: $0) }
        }

        /// Starts: creates Core Bluetooth's manager, which scans once the adapter is on.
        ///
        /// Starts again if the central is done; does nothing otherwise.
        public func scan() {
            if let manager = centralManager {
                guard case .finished = stage else { return }
                stage = .idle
                isLeaving = false
                hasExchanged = false
                search(manager)
                return
            }
            var options: [String: Any]?
            if let restoreIdentifier = restoreIdentifier {
                options = [CBCentralManagerOptionRestoreIdentifierKey: restoreIdentifier]
            }
            centralManager = CBCentralManager(delegate: self, queue: nil, options: options)
            blueEar?.didStartConfiguration()
        }

        /// The delegate, if it needs more.
        internal var observer: MessageObserver? { blueEar as? MessageObserver }
    }
}
