// The half that advertises: it sends a message to every subscriber, and receives what they write.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
public import CoreBluetooth
public import Foundation

/// The half of the messenger that advertises.
public enum PeripheralRole {
    /// The events that a peripheral's app shows as a line of status.
    ///
    /// A delegate that needs more conforms to ``MessageObserver``, too.
    public protocol BlueEar {
        /// The service is set up.
        func didStartConfiguration()
        /// The peripheral advertises.
        func didStartAdvertising()
        /// A message was sent to a central.
        func didSendData()
        /// A message was received from a central.
        func didReceiveData()
    }

    /// Advertises, and talks with every subscriber; each central has its own conversation.
    ///
    /// It starts when it is created. Use it on the main thread.
    public class BluetoothManager: NSObject {
        /// The identifier under which the article's app has its state kept.
        public let peripheralId: String = "62443cc7-15bc-4136-bf5d-0ad80c459215"
        /// The service, see ``BlueEarService/serviceUUID``.
        public let serviceUUID: String = BlueEarService.serviceUUID
        /// The characteristic, see ``BlueEarService/characteristicUUID``.
        public let characteristicUUID: String = BlueEarService.characteristicUUID
        /// The advertised name; it can be set right after the manager was created.
        public var localName: String = "Peripheral - iOS"

        /// The properties of the characteristic.
        public let properties: CBCharacteristicProperties = [.read, .notify, .writeWithoutResponse, .write]
        /// The permissions of the characteristic.
        public let permissions: CBAttributePermissions = [.readable, .writeable]

        /// The observer, which the manager retains.
        public var bluetoothMessaging: BlueEar?
        /// Core Bluetooth's manager.
        public internal(set) var peripheralManager: CBPeripheralManager?

        /// ``serviceUUID`` as a `CBUUID`.
        public internal(set) var serviceCBUUID: CBUUID?
        /// ``characteristicUUID`` as a `CBUUID`.
        public internal(set) var characteristicCBUUID: CBUUID?

        /// The service.
        public internal(set) var service: CBMutableService?
        /// The characteristic. (Its name is spelled as in the article.)
        public internal(set) var characterisctic: CBMutableCharacteristic?

        /// The message to every new subscriber, and the value that a read gets before anything was sent.
        ///
        /// `nil` sends nothing by itself.
        public var message: [String: String]? = ["Hello": "Darkness"]

        /// Called with the name of each of Core Bluetooth's callbacks.
        public var log: ((String) -> Void)?

        /// The subscribers, in the order in which they subscribed.
        public var listeners: [UUID] { peers.filter(\.isSubscribed).map(\.identifier) }

        /// The known centrals; the last active one is at the end.
        internal var peers: [ListeningCentral] = []
        /// The last message to everybody.
        internal var lastMessage: Data?
        /// Whether messages are being handed over now.
        internal var isHandingOver = false
        /// Whether the service was restored with the app's state, so that it need not be added.
        internal var isRestored = false

        /// Creates the manager, which starts at once.
        public convenience init(delegate: BlueEar?) {
            self.init(delegate: delegate, restoreIdentifier: nil)
        }

        /// Creates the manager, which starts at once; with an identifier its state outlives the app.
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

        /// The delegate, if it needs more.
        internal var observer: MessageObserver? { bluetoothMessaging as? MessageObserver }
    }
}
#endif
