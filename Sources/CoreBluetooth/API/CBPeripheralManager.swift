// The peripheral role: publishes services, advertises them, answers centrals. Calls become commands for the session on
// the adapter's event loop; its events come back in CBPeripheralManager+Events.swift.

package import BluetoothHost
import BluetoothTypes
import DequeModule
public import Foundation
import NIOCore

/// Publishes services, advertises them and answers centrals.
///
/// All calls of the delegate come on the queue that the manager was given. When the manager is deallocated, its
/// services and its advertising end.
///
/// Apple documents it as `CBPeripheralManager`.
open class CBPeripheralManager: CBManager {
    let commands: Mailbox<PeripheralCommand>
    let observer: (any AdapterObserver)?

    // Guarded by the lock.
    private weak var delegateStorage: (any CBPeripheralManagerDelegate)?
    private var advertisingStorage = false
    private var wantsAdvertising = false
    /// Whether advertising continues when the adapter is switched on again.
    private(set) var isAdvertisingPaused = false
    @exclusivity(unchecked) var database = LocalDatabase()
    /// Services whose `didAdd` is still to come, in the order of the calls: each is reported, even one that was removed
    /// meanwhile.
    var awaitedAdds: Deque<(token: LocalServiceToken, service: CBMutableService)> = []
    @exclusivity(unchecked) var centrals = KnownCentrals()
    /// Called with each central that connects or disconnects.
    private(set) var centralObserver: ((CBCentral, _ isConnected: Bool) -> Void)?
    /// Whether an update could not be sent, so that the delegate must be told when the next one can.
    var mustReportReadiness = false

    /// A manager on the main queue, whose delegate is set later.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that calls `delegate` on `queue`; `nil` is the main queue, which the program must run; see
    /// <doc:WhatDiffersOnLinux>.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager with options.
    ///
    /// With ``CBPeripheralManagerOptionRestoreIdentifierKey`` the manager's services and its advertisement survive the
    /// process, however it ends. When the next process of the same program creates a manager with the same identifier,
    /// it gets them with ``CBPeripheralManagerDelegate/peripheralManager(_:willRestoreState:)`` before anything else;
    /// the services are published and advertised again without being added. Centrals lose their links with the process,
    /// and subscribe again when they reconnect. Releasing the manager in a running process removes its state.
    ///
    /// Beside Apple's options, ``BluetoothAdapter/optionKey`` names the adapter to use.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let adapter = Self.adapter(in: options)
        let reference = ManagerReference<CBPeripheralManager>()
        let endpoint = adapter.openSession(
            PeripheralSession.self,
            queue: queue,
            restoreIdentifier: Self.restoreIdentifier(in: options)
        ) { reference.onItsQueue?.receive(&$0) }
        self.commands = endpoint.commands
        self.observer = adapter.configuration.observer
        self.delegateStorage = delegate
        let lock = ObjectLock()
        let observation = PropertyObservation(lock: lock, wakeQueue: endpoint.wakeQueue)
        super.init(adapter: adapter, lock: lock, observation: observation)
        reference.set(self)
        endpoint.begin()
    }

    deinit { self.commands.send(.end) }

    /// Passes on an app's command.
    private func send(_ command: PeripheralCommand) {
        if let observer = self.observer, let call = command.call(in: self) { observer.called(call) }
        self.commands.send(command)
    }

    /// The object that the manager informs; a weak reference.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { self.lock.withLock { self.delegateStorage } }
        set { self.lock.withLock { self.delegateStorage = newValue } }
    }

    /// Whether this program may share data in the background: on Linux always, except in a test's world that says
    /// otherwise.
    @available(*, deprecated, message: "Use CBManager.authorization.")
    @discardableResult
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        switch self.authorization {
        case .notDetermined: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .allowedAlways: .authorized
        }
    }

    // MARK: Advertising

    /// Whether the manager advertises, as last reported on its queue.
    open var isAdvertising: Bool { self.lock.withLock { self.advertisingStorage } }

    /// The delegate, to be called now, after observers of properties.
    var informedDelegate: (any CBPeripheralManagerDelegate)? {
        // A subclass may override the property.
        guard type(of: self) == CBPeripheralManager.self else {
            self.propertyObservation.deliverChanges()
            return self.delegate
        }
        return self.propertyObservation.inform { self.delegateStorage }
    }

    /// Advertising has started, unless the app stopped it meanwhile.
    func startedAdvertising() { self.lock.withLock { self.advertisingStorage = self.wantsAdvertising } }

    /// The previous process's advertising continues.
    func restoredAdvertising() {
        self.lock.withLock {
            self.advertisingStorage = true
            self.wantsAdvertising = true
        }
    }

    /// Advertising has ended.
    func endedAdvertising() {
        self.lock.withLock {
            self.advertisingStorage = false
            self.wantsAdvertising = false
            self.isAdvertisingPaused = false
        }
    }

    /// The adapter was switched off.
    func pausedAdvertising() {
        self.lock.withLock {
            self.isAdvertisingPaused = self.isAdvertisingPaused || self.advertisingStorage
            self.advertisingStorage = false
        }
    }

    /// The adapter is ready.
    func resumedAdvertising() {
        self.lock.withLock {
            if self.isAdvertisingPaused { self.advertisingStorage = true }
            self.isAdvertisingPaused = false
        }
    }

    /// Starts advertising.
    ///
    /// Advertising is paused while the adapter is switched off, and continues by itself. Below
    /// ``CBManagerState/poweredOff``, as after a reset of the adapter, it has ended, and the services are removed:
    /// advertise and publish again.
    ///
    /// The dictionary's ``CBAdvertisementDataLocalNameKey`` and ``CBAdvertisementDataServiceUUIDsKey`` are used, and
    /// ``CBAdvertisementDataManufacturerDataKey`` if the adapter's configuration permits it; more than 26 octets of it
    /// cause ``CBError/Code/invalidParameters``. Content that does not fit into 28 octets is moved: the name to the
    /// scan response, cut to 10 octets, and services beside it, or to the overflow area if they do not fit there.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        self.startAdvertising(advertisementData, AdvertisingOptions())
    }

    /// The same with options for tools. Not in Apple's interface.
    package func startAdvertising(_ advertisementData: [String: Any]?, _ options: AdvertisingOptions) {
        guard self.isPoweredOn() else { return }
        var content = AdvertisedContent()
        content.localName = advertisementData?[CBAdvertisementDataLocalNameKey] as? String
        content.services = services(in: advertisementData?[CBAdvertisementDataServiceUUIDsKey]).map(\.value)
        if self.adapter.configuration.permitsManufacturerData {
            let data = advertisementData?[CBAdvertisementDataManufacturerDataKey] as? Data
            content.manufacturerData = data.map(Array.init)
        }
        content.permitsWholeName = self.adapter.configuration.permitsWholeName
        content.options = options
        self.lock.withLock { self.wantsAdvertising = true }
        self.send(.startAdvertising(content))
    }

    /// Stops advertising; connections stay.
    open func stopAdvertising() {
        guard self.isPoweredOn() else { return }
        self.endedAdvertising()
        self.propertyObservation.propertiesChanged()
        self.send(.stopAdvertising)
    }

    // MARK: Services

    /// Publishes a service with its characteristics and descriptors as they are now; the delegate is called with
    /// ``CBPeripheralManagerDelegate/peripheralManager(_:didAdd:error:)``.
    ///
    /// Services that it includes must be published first.
    open func add(_ service: CBMutableService) {
        guard self.isPoweredOn() else { return }
        let registered = self.register(service)
        self.lock.withLock { self.awaitedAdds.append((registered.token, service)) }
        if let error = self.objection(to: service) {
            self.send(.refuse(registered.token, error))
        } else {
            self.send(.add(registered))
        }
    }

    /// Withdraws a service and those that include it; connected centrals get Service Changed.
    open func remove(_ service: CBMutableService) {
        guard self.isPoweredOn() else { return }
        guard let token = self.lock.withLock({ self.database.token(of: service) }) else { return }
        self.withdraw { $0.remove(token) }
        self.send(.remove(token))
    }

    /// Withdraws all services of this manager; those of others stay.
    open func removeAllServices() {
        guard self.isPoweredOn() else { return }
        self.withdraw { $0.removeAll() }
        self.send(.removeAll)
    }

    // MARK: Requests and updates

    /// Answers or refuses a request to read or write.
    ///
    /// Answer the first of several requests that arrive together for all of them. Only the first answer counts. A value
    /// has up to 512 octets; the rest is not sent.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        guard self.isPoweredOn() else { return }
        switch request.transaction.take() {
        case .read(let id):
            let answer: Result<ByteBuffer, ATTErrorCode> =
                switch ATTErrorCode.answer(result) {
                case nil: .success(Self.octets(answering: request))
                case let error?: .failure(error)
                }
            self.send(.answerRead(id, answer))
        case .write(let id): self.send(.answerWrite(id, .answer(result)))
        case .nothing: break
        }
    }

    private static func octets(answering request: CBATTRequest) -> ByteBuffer {
        guard let value = request.value else { return ByteBuffer() }
        let limit = max(0, ATT.maximumValueLength - request.offset)
        // Only once for a long read, which begins at 0.
        if value.count > limit, request.offset == 0 {
            LogLines.log(
                "WARNING: the value of \(request.characteristic) has \(value.count) octets; centrals get the first "
                    + "\(ATT.maximumValueLength)"
            )
        }
        return ByteBuffer(octetsOf: value, limit: limit)
    }

    /// Sends a new value to subscribed centrals; `nil` means all of them.
    ///
    /// A value that is too long for a central is cut.
    ///
    /// - Returns: False if the update could not be queued. The delegate's
    ///   ``CBPeripheralManagerDelegate/peripheralManagerIsReady(toUpdateSubscribers:)`` is called when updates can be
    ///   sent again.
    @discardableResult
    open func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        let place = self.lock.withLock { self.isOn ? self.reserveCapacity(for: characteristic, centrals) : nil }
        switch place {
        case nil:
            self.logPoweredOff()
            return false
        case .nobody: return true
        case .full: return false
        case .reserved(let handle, let targets, let window):
            // The host cuts further if the MTU is smaller.
            let octets = ByteBuffer(octetsOf: value, limit: ATT.maximumValueLength, in: window?.takeBuffer())
            self.send(.update(handle, octets, targets))
            return true
        }
    }

    /// Reports each central that connects or disconnects, on the manager's queue. Not in Apple's interface, in which a
    /// central is known only once it has used a service.
    package func watchCentrals(_ report: @escaping (CBCentral, _ isConnected: Bool) -> Void) {
        self.lock.withLock { self.centralObserver = report }
        self.send(.watchCentrals)
    }

    /// Requests a connection interval for a desired latency of data from this app.
    ///
    /// The central decides.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        guard self.isPoweredOn(), let link = central.lock.withLock({ central.link }) else { return }
        self.send(.setLatency(latency, link))
    }

    // MARK: L2CAP channels

    /// Lets centrals open L2CAP channels to a PSM that the system picks and reports to the delegate.
    ///
    /// With encryption, centrals whose connection is not encrypted are refused.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        self.publishL2CAPChannel(requiring: encryptionRequired ? .encrypted : .none)
    }

    /// Lets centrals open L2CAP channels on connections of at least a security level. Not in Apple's interface.
    package func publishL2CAPChannel(requiring level: SecurityLevel) {
        guard self.isPoweredOn() else { return }
        self.send(.publishChannel(max(level, self.adapter.configuration.requiredLevel)))
    }

    /// Withdraws a PSM; its channels close.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard self.isPoweredOn() else { return }
        self.send(.unpublishChannel(PSM))
    }
}

/// The services of an advertisement's dictionary, even if an app has put optionals into it.
private func services(in value: Any?) -> [CBUUID] {
    (value as? [CBUUID]) ?? (value as? [CBUUID?])?.compactMap { $0 } ?? []
}
