// The half that looks for the other one: it scans, connects, listens, answers and leaves; or stays, and talks on.

public import CoreBluetooth
public import Foundation

/// The half of the messenger that looks for the other one.
public enum CentralRole {
    /// What a central's app gets, for its one line of status.
    ///
    /// A delegate that wants to know more conforms to ``MessageObserver``, too.
    public protocol BlueEar {
        /// Core Bluetooth's manager is made.
        func didStartConfiguration()
        /// The air is being searched.
        func didStartScanningPeripherals()
        /// A peripheral is connected.
        func didConnectPeripheral(name: String?)
        /// A peripheral is not connected any more.
        func didDisconnectPeripheral(name: String?)
        /// A message was written.
        func didSendData()
        /// A message came.
        func didReceiveData()
        /// A peripheral could not be connected, or was silent; it is tried again.
        func didFailConnection()
    }

    /// Where the central stands.
    internal enum Stage {
        /// There is no manager, or no adapter.
        case idle
        /// The air is being searched.
        case scanning
        /// Core Bluetooth was asked for a link.
        case connecting(CBPeripheral)
        /// The link is there; service, characteristic and notifications are being asked for.
        case exploring(CBPeripheral)
        /// Messages can come and go.
        case talking(CBPeripheral, CBCharacteristic)
        /// The link is being closed; then the air is searched anew after some seconds, or everything is done.
        case leaving(CBPeripheral, retryAfter: TimeInterval?)
        /// A connection was cancelled; the scan starts again after a delay.
        case pausing
        /// Everything is done.
        case finished
    }

    /// Looks for a peripheral, and talks with it.
    ///
    /// It begins with ``scan()``. Use it on the main thread.
    public class BluetoothManager: NSObject {
        /// The service, see ``BlueEarService/serviceUUID``.
        public let serviceUUID: String = BlueEarService.serviceUUID
        /// The characteristic, see ``BlueEarService/characteristicUUID``.
        public let characteristicUUID: String = BlueEarService.characteristicUUID

        /// ``serviceUUID``, as Core Bluetooth has it.
        public internal(set) var serviceCBUUID: CBUUID?
        /// ``characteristicUUID``, as Core Bluetooth has it.
        public internal(set) var characteristicCBUUID: CBUUID?

        /// The observer; the manager keeps it alive.
        public var blueEar: BlueEar?
        /// Core Bluetooth's manager; ``scan()`` makes it.
        public internal(set) var centralManager: CBCentralManager?

        /// The peripheral that is talked with, or was last.
        public internal(set) var discoveredPeripheral: CBPeripheral?

        /// What is answered to the first message of each link; `nil`: nothing is sent by itself.
        public var message: [String: String]? = ["Yo": "Lo"]
        /// Whether the link is kept after the first exchange, and taken up again whenever it was lost.
        ///
        /// Else the central leaves as soon as its answer is delivered.
        public var stays = false
        /// Whether what waits when the link is lost is said on the next one.
        public var keepsWaiting = true
        /// Whether the last message is read, in place of being notified of all that come.
        public var reads = false
        /// The name that the peripheral has to advertise; `nil`: any.
        public var wantedName: String?
        /// The identifier under which the state outlives the app; set before ``scan()``.
        public var restoreIdentifier: String?

        /// Called with the name of each call of Core Bluetooth's, when it comes.
        public var log: ((String) -> Void)?

        /// How long ago, in seconds, the user was busy with something that the peripheral waits for, such as the code
        /// of a pairing; 0 while the user is, `nil` for never. Time limits of the exploration wait for it.
        public var userIdleTime: (() -> TimeInterval?)?

        /// Whether messages can be sent at this moment; those that are sent earlier wait.
        public var isTalking: Bool {
            if case .talking = stage { return true }
            return false
        }

        /// How work is put off; replaced where time is not that of the main run loop.
        internal var scheduler: WorkScheduler = RunLoopScheduler()
        /// Where the central stands.
        internal var stage = Stage.idle
        /// The running time limit, or the pause.
        internal var timer: ScheduledWork?
        /// What comes from the peripheral.
        internal var assembler = MessageAssembler()
        /// What is on its way to the peripheral, the oldest first.
        internal var waiting: [OutgoingMessage] = []
        /// Whether a written value waits for its confirmation.
        internal var awaitsConfirmation = false
        /// Whether a message came on this link, so that the answer to it is given.
        internal var hasAnswered = false
        /// Whether a message came on any link.
        internal var hasExchanged = false
        /// Whether it was reported that messages can be sent, and not yet that they cannot.
        internal var hasBegun = false
        /// Whether the link is to be closed as soon as nothing waits any more.
        internal var isLeaving = false
        /// The name that the peripheral advertised.
        internal var advertisedName: String?
        /// The peripheral to connect to when the adapter is there (again).
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

        /// Begins: makes Core Bluetooth's manager, which searches as soon as the adapter is there.
        ///
        /// When everything is done it begins once more; meanwhile it does nothing.
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

        /// The delegate, where it wants to know more.
        internal var observer: MessageObserver? { blueEar as? MessageObserver }
    }
}
