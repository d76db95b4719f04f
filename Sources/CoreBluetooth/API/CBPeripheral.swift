// A remote peripheral, as the app sees it. Everything observable changes on the manager's queue (see
// CBPeripheral+Events.swift); calls may come from any thread.

import BluetoothHost
import BluetoothTypes
public import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// A remote peripheral.
///
/// Keep a reference to a peripheral while you use it: the manager has none, and releasing the last one ends the
/// connection. Requests are carried out in the order of the calls, and each is answered once.
///
/// Apple documents it as `CBPeripheral`.
open class CBPeripheral: CBPeer {
    let context: CentralContext
    let token: PeripheralToken
    let address: DeviceAddress

    // Guarded by the lock.
    weak var delegateStorage: (any CBPeripheralDelegate)?
    var nameStorage: String?
    var rssiStorage: NSNumber?
    var connection = ObservedConnection()
    /// Whether the object can still be connected: not after a reset of the adapter.
    var isValid = true
    var mtu = ATT.defaultMTU
    var writeWindow = TransmitWindow()
    var servicesStorage: [CBService]?
    @exclusivity(unchecked) var attributes = RemoteAttributes()
    /// The number of times that services of this connection became invalid.
    var invalidations = 0

    /// The present connection's identifier.
    ///
    /// Under the lock.
    var connectionID: ConnectionID { ConnectionID(token: self.token, attempt: self.connection.attempt) }

    init(context: CentralContext, token: PeripheralToken, peer: PeerDescription) {
        self.context = context
        self.token = token
        self.address = peer.address
        super.init(identifier: peer.identifier, lock: context.lock)
    }

    deinit {
        switch self.connection.state {
        case .connecting:
            LogLines.misuse(
                """
                Cancelling connection for unused peripheral \(self), Did you forget to keep a \
                reference to it?
                """
            )
        case .connected:
            LogLines.misuse(
                """
                Forcing disconnection of unused peripheral \(self). Did you forget to cancel \
                the connection?
                """
            )
        case .disconnected, .disconnecting:
            break
        }
        self.context.released(self.token, identifier: self.identifier)
    }

    // MARK: What is known

    /// The object that the peripheral informs; a weak reference.
    open var delegate: (any CBPeripheralDelegate)? {
        get { self.lock.withLock { self.delegateStorage } }
        set { self.lock.withLock { self.delegateStorage = newValue } }
    }

    /// The peripheral's GAP Device Name, else its last advertised name.
    open var name: String? { self.lock.withLock { self.nameStorage } }

    /// The signal strength that was last read, in dBm; `nil` before that.
    @available(*, deprecated, message: "Use peripheral(_:didReadRSSI:error:).")
    open var rssi: NSNumber? { self.lock.withLock { self.rssiStorage } }

    /// The connection state; changes on the manager's queue.
    open var state: CBPeripheralState { self.lock.withLock { self.connection.state } }

    /// The services that were discovered; `nil` before that and after a disconnection.
    open var services: [CBService]? { self.lock.withLock { self.servicesStorage } }

    /// Whether a write without response can be sent now.
    ///
    /// If it cannot, ``CBPeripheralDelegate/peripheralIsReady(toSendWriteWithoutResponse:)`` is called once it can.
    open var canSendWriteWithoutResponse: Bool {
        self.lock.withLock { self.connection.state == .connected && self.writeWindow.canSend }
    }

    /// Whether the peripheral may receive Apple's notifications: never, since Linux has none.
    open var ancsAuthorized: Bool { false }

    /// The longest value, in octets, that one write can carry: 512 with response, and without response the ATT MTU of
    /// the connection less 3.
    @discardableResult
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        switch type {
        case .withResponse: ATT.maximumValueLength
        case .withoutResponse: self.lock.withLock { self.longestCommandValue }
        }
    }

    /// The object as log lines show it.
    open override var description: String {
        let (name, linkMTU, state) = self.lock.withLock { (self.nameStorage, self.mtu, self.connection.state) }
        // As in Apple's log lines: 0 while there is no link.
        let mtu = state == .connected || state == .disconnecting ? linkMTU : 0
        return """
            <\(Swift.type(of: self)): \(pointerText(self)), identifier = \(self.identifier.uuidString), \
            name = \(name ?? "(null)"), mtu = \(mtu), state = \(state.word)>
            """
    }

    /// Stores a received name.
    func learn(name: String?) {
        guard let name else { return }
        self.lock.withLock { self.nameStorage = name }
    }

    // MARK: Discovery

    /// Discovers services; `nil` or an empty list means all, which takes longer.
    ///
    /// Discovery accumulates: services that were found before stay. Generic Access, Generic Attribute and Human
    /// Interface Device belong to the system and are not shown.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        self.warnWithoutDelegate(
            """
            Discovering services for peripheral \(self) while delegate is either nil or does not implement \
            peripheral:didDiscoverServices:
            """
        )
        self.perform(on: .peripheral) { AttributeDiscovery(.services(Self.wanted(serviceUUIDs)), of: $0) }
    }

    /// Discovers the services that a service includes; `nil` or an empty list means all.
    ///
    /// The answer is ``CBPeripheralDelegate/peripheral(_:didDiscoverIncludedServicesFor:error:)``.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        self.warnWithoutDelegate(
            """
            Discovering included services on peripheral \(self) while delegate is either nil or does not implement \
            peripheral:didDiscoverIncludedServicesForService:error:
            """
        )
        self.discover(GATTDiscovery.includedServices, Self.wanted(includedServiceUUIDs), of: service)
    }

    /// Discovers the characteristics of a service; `nil` or an empty list means all.
    ///
    /// The answer is ``CBPeripheralDelegate/peripheral(_:didDiscoverCharacteristicsFor:error:)``.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        self.warnWithoutDelegate(
            """
            Discovering characteristics on peripheral \(self) while delegate is either nil or does not implement \
            peripheral:didDiscoverCharacteristicsForService:error:
            """
        )
        self.discover(GATTDiscovery.characteristics, Self.wanted(characteristicUUIDs), of: service)
    }

    /// Discovers the descriptors of a characteristic.
    ///
    /// The answer is ``CBPeripheralDelegate/peripheral(_:didDiscoverDescriptorsFor:error:)``.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        self.warnWithoutDelegate(
            """
            Discovering characteristic descriptors for peripheral \(self) while delegate is either nil or does not \
            implement peripheral:didDiscoverDescriptorsForCharacteristic:error:
            """
        )
        self.perform(on: characteristic) { AttributeDiscovery(.descriptors($1), of: $0) }
    }

    // MARK: Values

    /// Reads a value of any length; it arrives in the delegate's `peripheral(_:didUpdateValueFor:error:)`.
    open func readValue(for characteristic: CBCharacteristic) {
        self.perform(on: characteristic) { subject, _ in ValueRead(subject) }
    }

    /// Writes a value.
    ///
    /// With response it may have 512 octets, without response the number that ``maximumWriteValueLength(for:)``
    /// returns; longer values are not sent.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        switch type {
        case .withResponse:
            self.perform(on: characteristic) { subject, _ in ValueWrite(ByteBuffer(octetsOf: data), to: subject) }
        case .withoutResponse: self.writeWithoutResponse(data, to: characteristic)
        }
    }

    /// Turns notifications on or off, or indications if the characteristic has only those.
    ///
    /// The answer is ``CBPeripheralDelegate/peripheral(_:didUpdateNotificationStateFor:error:)``. For a characteristic
    /// with neither, its error is ``CBATTError/Code/requestNotSupported``. Without a Client Characteristic
    /// Configuration it is ``CBATTError/Code/attributeNotFound``, but values that the peripheral nevertheless sends are
    /// delivered, as are values that a bonded peripheral has already sent on this connection.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        self.perform(on: characteristic) { SubscriptionChange(enabled, of: characteristic, $1) }
    }

    /// Reads a descriptor's value of any length.
    open func readValue(for descriptor: CBDescriptor) {
        self.perform(on: descriptor, ValueRead.init)
    }

    /// Writes a descriptor.
    ///
    /// Use ``setNotifyValue(_:for:)`` for the Client Characteristic Configuration; writing it here ends the program, as
    /// on Apple's platforms.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        if descriptor.uuid.value.shortValue == GATTAttributeType.clientConfiguration {
            fatalMisuse(
                """
                Client Characteristic Configuration descriptors must be configured using \
                setNotifyValue:forCharacteristic:
                """
            )
        }
        self.perform(on: descriptor) { ValueWrite(ByteBuffer(octetsOf: data), to: $0) }
    }

    // MARK: The connection

    /// Measures the signal strength of the connection.
    ///
    /// The answer is ``CBPeripheralDelegate/peripheral(_:didReadRSSI:error:)``; its error is ``CBError/Code/unknown``
    /// if the controller could not measure it, which says nothing about the connection.
    open func readRSSI() {
        self.warnWithoutDelegate(
            """
            Reading RSSI for peripheral \(self) while delegate is either nil or does not implement \
            peripheral:didReadRSSI:error:
            """
        )
        self.perform(on: .peripheral) { _ in SignalReading() }
    }

    /// Opens an L2CAP channel to a PSM that the peripheral has published, 0x0080 to 0x00FF.
    ///
    /// The channel comes to ``CBPeripheralDelegate/peripheral(_:didOpen:error:)``. Several channels are opened one
    /// after another, in the order of the calls.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard let connection = self.connection(with: .peripheral) else { return }
        self.context.send(.openChannel(connection.id, PSM, invalidations: connection.invalidations))
    }
}

extension CBPeripheral {
    /// Services that the system does not show: its own, and Apple's notification service.
    static let hiddenServices =
        CBService.reserved + [BluetoothUUID(form: .full(0x7905_F431_B5CE_4E99, 0xA40F_4B1E_122D_00D0))]

    /// The UUIDs that an app looks for; `nil` for all. Much published code passes an empty list for that.
    private static func wanted(_ uuids: [CBUUID]?) -> [BluetoothUUID]? {
        uuids.flatMap { $0.isEmpty ? nil : $0.map(\.value) }
    }

    private func discover(
        _ discovery: (AttributeHandleRange) -> GATTDiscovery,
        _ uuids: [BluetoothUUID]?,
        of service: CBService
    ) {
        guard let handles = service.handles else { return self.logForeign(service) }
        self.perform(on: .service(service, handles)) { AttributeDiscovery(discovery(handles), uuids, of: $0) }
    }

    private func perform(
        on characteristic: CBCharacteristic,
        _ make: (PeripheralOperation.Subject, GATTRemoteCharacteristic) -> PeripheralOperation
    ) {
        guard let record = characteristic.record else { return self.logForeign(characteristic) }
        self.perform(on: .characteristic(characteristic, record)) { make($0, record) }
    }

    private func perform(
        on descriptor: CBDescriptor,
        _ make: (PeripheralOperation.Subject) -> PeripheralOperation
    ) {
        guard let handle = descriptor.handle else { return self.logForeign(descriptor) }
        self.perform(on: .descriptor(descriptor, handle), make)
    }

    /// Begins an operation, or logs why it cannot, as Core Bluetooth does.
    private func perform(
        on subject: PeripheralOperation.Subject,
        _ make: (PeripheralOperation.Subject) -> PeripheralOperation
    ) {
        guard let connection = self.connection(with: subject) else { return }
        let operation = HandedOperation(make(subject))
        self.context.send(.perform(connection.id, operation, invalidations: connection.invalidations))
    }

    /// The present connection if it has the subject, and the number of times that its services have become invalid so
    /// far.
    private func connection(with subject: PeripheralOperation.Subject) -> (id: ConnectionID, invalidations: Int)? {
        let connection = self.lock.withLock {
            self.connection.state == .connected && self.has(subject) ? (self.connectionID, self.invalidations) : nil
        }
        if connection == nil { self.logForeign(subject.attribute) }
        return connection
    }

    func logNotConnected() {
        LogLines.misuse("\(self) can only accept commands while in the connected state")
        self.context.observer?.called("a call is ignored: \(quoted(self.name)) is not connected")
    }

    /// Logs that an operation was begun without a delegate to get its result.
    private func warnWithoutDelegate(_ text: @autoclosure () -> String) {
        guard self.delegate == nil else { return }
        LogLines.misuse(text())
    }

    /// An attribute of another peripheral, or of a connection that has ended.
    func logForeign(_ attribute: CBAttribute?) {
        guard let attribute, self.state == .connected else { return self.logNotConnected() }
        let kind =
            switch attribute {
            case is CBService: "service"
            case is CBCharacteristic: "characteristic"
            default: "descriptor"
            }
        LogLines.misuse("\(attribute) is not a valid \(kind) for peripheral \(self)")
        self.context.observer?.called("a call is ignored: its \(kind) is none of the present connection")
    }
}
