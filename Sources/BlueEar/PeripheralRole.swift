// The half that shows itself: it advertises, says something to everybody who listens, and hears what they write.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
public import CoreBluetooth
public import Foundation

/// The half of the messenger that shows itself.
public enum PeripheralRole {
    /// What a peripheral's app gets, for its one line of status.
    ///
    /// A delegate that wants to know more conforms to ``MessageObserver``, too.
    public protocol BlueEar {
        /// The service is put together.
        func didStartConfiguration()
        /// The peripheral can be heard.
        func didStartAdvertising()
        /// A message has gone to a central.
        func didSendData()
        /// A message came from a central.
        func didReceiveData()
    }

    /// Shows itself, and talks with everybody who listens; each central has its own conversation.
    ///
    /// It begins when it is made. Use it on the main thread.
    public class BluetoothManager: NSObject {
        /// The identifier under which the article's app has its state kept.
        public let peripheralId: String = "62443cc7-15bc-4136-bf5d-0ad80c459215"
        /// The service, see ``BlueEarService/serviceUUID``.
        public let serviceUUID: String = BlueEarService.serviceUUID
        /// The characteristic, see ``BlueEarService/characteristicUUID``.
        public let characteristicUUID: String = BlueEarService.characteristicUUID
        /// The name to advertise; one that is set right after the manager was made is the one that is seen.
        public var localName: String = "Peripheral - iOS"

        /// What can be done with the characteristic.
        public let properties: CBCharacteristicProperties = [.read, .notify, .writeWithoutResponse, .write]
        /// The permissions: everybody may.
        public let permissions: CBAttributePermissions = [.readable, .writeable]

        /// The observer; the manager keeps it alive.
        public var bluetoothMessaging: BlueEar?
        /// Core Bluetooth's manager.
        public internal(set) var peripheralManager: CBPeripheralManager?

        /// ``serviceUUID``, as Core Bluetooth has it.
        public internal(set) var serviceCBUUID: CBUUID?
        /// ``characteristicUUID``, as Core Bluetooth has it.
        public internal(set) var characteristicCBUUID: CBUUID?

        /// The service.
        public internal(set) var service: CBMutableService?
        /// The characteristic. (Its name is spelt as published.)
        public internal(set) var characterisctic: CBMutableCharacteristic?

        /// What is said to everybody who begins to listen, and what a read gets that comes before anything was sent.
        ///
        /// `nil`: nothing is sent by itself.
        public var message: [String: String]? = ["Hello": "Darkness"]

        /// Called with the name of each call of Core Bluetooth's, when it comes.
        public var log: ((String) -> Void)?

        /// The centrals that listen, in the order in which they began.
        public var listeners: [UUID] { peers.filter(\.isSubscribed).map(\.identifier) }

        /// The centrals that are known, the one that was heard of last at the end.
        internal var peers: [ListeningCentral] = []
        /// The last message that went to everybody.
        internal var lastMessage: Data?
        /// Whether messages are being handed over at this moment.
        internal var isHandingOver = false
        /// Whether the service came back with the app's state, so that it need not be added.
        internal var isRestored = false

        /// Creates the manager, which begins at once.
        public convenience init(delegate: BlueEar?) {
            self.init(delegate: delegate, restoreIdentifier: nil)
        }

        /// Creates the manager, which begins at once; with an identifier its state outlives the app.
        public init(delegate: BlueEar?, restoreIdentifier: String?) {
            super.init()
            bluetoothMessaging = delegate

            guard
                let serviceUUID = UUID(uuidString: serviceUUID),
                let characteristicUUID = UUID(uuidString: characteristicUUID)
            else { return }
            let serviceCBUUID = CBUUID(nsuuid: serviceUUID)
            let characteristicCBUUID = CBUUID(nsuuid: characteristicUUID)
            self.serviceCBUUID = serviceCBUUID
            self.characteristicCBUUID = characteristicCBUUID

            let service = CBMutableService(type: serviceCBUUID, primary: true)
            let characterisctic = CBMutableCharacteristic(
                type: characteristicCBUUID,
                properties: properties,
                value: nil,
                permissions: permissions
            )
            service.characteristics = [characterisctic]
            self.service = service
            self.characterisctic = characterisctic

            bluetoothMessaging?.didStartConfiguration()

            var options: [String: Any]?
            if let restoreIdentifier = restoreIdentifier {
                options = [CBPeripheralManagerOptionRestoreIdentifierKey: restoreIdentifier]
            }
            peripheralManager = CBPeripheralManager(delegate: self, queue: nil, options: options)
        }

        /// The delegate, where it wants to know more.
        internal var observer: MessageObserver? { bluetoothMessaging as? MessageObserver }
    }
}
#endif
