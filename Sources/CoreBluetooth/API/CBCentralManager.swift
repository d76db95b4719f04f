// The central role: finds peripherals and connects to them. Calls become commands for the session on the adapter's
// event loop; its events come back in CBCentralManager+Events.swift.

import BluetoothTypes
public import Foundation
import NIOCore

/// Finds peripherals and connects to them.
///
/// All calls of the delegate, and of the delegates of its peripherals, come on the queue that the manager was given.
/// When the manager is deallocated, its connections end.
///
/// Apple documents it as `CBCentralManager`.
open class CBCentralManager: CBManager {
    /// Optional features of a system.
    ///
    /// Apple documents it as `CBCentralManager.Feature`.
    public struct Feature: OptionSet, BitwiseCopyable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Features from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Extended advertisements are received and connected to.
        public static var extendedScanAndConnect: CBCentralManager.Feature { Feature(rawValue: 0x01) }
        /// Distances can be measured with Channel Sounding.
        public static var channelSounding: CBCentralManager.Feature { Feature(rawValue: 0x400) }
    }

    let context: CentralContext
    private let usesMainQueue: Bool

    // Guarded by the lock.
    private weak var delegateStorage: (any CBCentralManagerDelegate)?
    private var scanningStorage = false
    /// The scan from before the manager, until the reports that have waited for it are delivered.
    private var restoredScan: ScanFilter?

    /// A manager on the main queue, whose delegate is set later.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that calls `delegate` on `queue`; `nil` is the main queue, which the program must run; see
    /// <doc:WhatDiffersOnLinux>.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager with options.
    ///
    /// With ``CBCentralManagerOptionRestoreIdentifierKey`` the manager's scan, its connections, existing or pending,
    /// and everything that was discovered and subscribed to survive the process, however it ends. When the next process
    /// of the same program creates a manager with the same identifier, it is called with
    /// ``CBCentralManagerDelegate/centralManager(_:willRestoreState:)`` before anything else. Links end with their
    /// process, so peripherals are restored as ``CBPeripheralState/connecting`` and connect when they are in range.
    /// Releasing the manager in a running process removes its state.
    ///
    /// Beside Apple's options, ``BluetoothAdapter/optionKey`` names the adapter to use.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let adapter = Self.adapter(in: options)
        let lock = ObjectLock()
        let reference = ManagerReference<CBCentralManager>()
        let endpoint = adapter.openSession(
            CentralSession.self,
            queue: queue,
            restoreIdentifier: Self.restoreIdentifier(in: options)
        ) { reference.onItsQueue?.receive(&$0) }
        self.context = CentralContext(adapter: adapter, lock: lock, endpoint: endpoint)
        self.delegateStorage = delegate
        self.usesMainQueue = queue?.isMain ?? true
        super.init(adapter: adapter, lock: lock, observation: self.context.observation)
        reference.set(self)
        endpoint.begin()
    }

    deinit {
        for peripheral in self.context.livePeripherals { peripheral.adapterStopped(isReset: true) }
        self.context.commands.send(.end)
    }

    /// The object that the manager informs; a weak reference.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { self.lock.withLock { self.delegateStorage } }
        set { self.lock.withLock { self.delegateStorage = newValue } }
    }

    /// Whether the manager scans.
    open var isScanning: Bool { self.lock.withLock { self.scanningStorage } }

    /// The delegate, to be called now, after observers of properties.
    var informedDelegate: (any CBCentralManagerDelegate)? {
        // A subclass may override the property.
        guard type(of: self) == CBCentralManager.self else {
            self.propertyObservation.deliverChanges()
            return self.delegate
        }
        return self.propertyObservation.inform { self.delegateStorage }
    }

    func setScanning(_ isScanning: Bool) { self.lock.withLock { self.scanningStorage = isScanning } }

    func setRestoredScan(_ filter: ScanFilter?) { self.lock.withLock { self.restoredScan = filter } }

    /// Whether this system supports all of the given features.
    ///
    /// It supports ``Feature/extendedScanAndConnect`` if the default adapter uses extended advertising: the software
    /// radio does; for a real controller this is known once a manager is powered on. A controller that accepts the
    /// commands and hears nothing counts until that is found out.
    @discardableResult
    open class func supports(_ features: CBCentralManager.Feature) -> Bool {
        guard Feature.extendedScanAndConnect.isSuperset(of: features) else { return false }
        return features.isEmpty || BluetoothAdapter.default.hasExtendedAdvertising.withLockedValue { $0 }
    }

    // MARK: Scanning

    /// Starts scanning for peripherals that advertise one of some services; `nil` or an empty list means all
    /// peripherals.
    ///
    /// A peripheral is reported once, and again when its scan response adds to what is known; with
    /// ``CBCentralManagerScanOptionAllowDuplicatesKey`` each advertising packet is reported. A new scan replaces the
    /// present one.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard self.isPoweredOn() else { return }
        var filter = ScanFilter()
        if let serviceUUIDs, !serviceUUIDs.isEmpty { filter.services = serviceUUIDs.map(\.value) }
        if let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] {
            filter.solicitedServices = solicited.map(\.value)
        }
        filter.allowsDuplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey].flatMap(isTrue) ?? false
        if filter.allowsDuplicates, self.usesMainQueue, self.adapter.usesQueues {
            LogLines.log(
                """
                WARNING: \(self) is disabling duplicate filtering, but is using the default queue (main thread) for \
                delegate events
                """
            )
        }
        self.setScanning(true)
        self.propertyObservation.propertiesChanged()
        // An app that asks for the scan that continues gets the waiting reports, but not all of them again.
        guard self.lock.withLock({ self.restoredScan != filter }) else { return }
        self.context.send(.scan(filter))
    }

    /// Stops scanning: nothing more is reported.
    open func stopScan() {
        guard self.isPoweredOn() else { return }
        self.setRestoredScan(nil)
        self.setScanning(false)
        self.propertyObservation.propertiesChanged()
        self.context.send(.stopScan)
    }

    // MARK: Connecting

    /// The longest delay of a connection, in seconds: a day.
    private static let longestDelay: Double = 86_400

    /// Connects to a peripheral as soon as it is in range, and calls the delegate.
    ///
    /// The request never expires; ``cancelPeripheralConnection(_:)`` withdraws it.
    ///
    /// - Parameters:
    ///   - peripheral: A peripheral of this manager.
    ///   - options: ``CBConnectPeripheralOptionStartDelayKey`` and ``CBConnectPeripheralOptionEnableAutoReconnect``;
    ///     others are accepted and ignored.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard self.isPoweredOn(), self.owns(peripheral), let id = peripheral.beginConnecting() else { return }
        var connectOptions = ConnectOptions()
        connectOptions.reconnectsByItself =
            options?[CBConnectPeripheralOptionEnableAutoReconnect].flatMap(isTrue) ?? false
        if let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue, delay > 0 {
            connectOptions.delay = .nanoseconds(Int64(min(delay, Self.longestDelay) * 1e9))
        }
        if options?[CBConnectPeripheralOptionNotifyOnConnectionKey].flatMap(isTrue) ?? false {
            connectOptions.alerts.insert(.connection)
        }
        if options?[CBConnectPeripheralOptionNotifyOnDisconnectionKey].flatMap(isTrue) ?? false {
            connectOptions.alerts.insert(.disconnection)
        }
        if options?[CBConnectPeripheralOptionNotifyOnNotificationKey].flatMap(isTrue) ?? false {
            connectOptions.alerts.insert(.notification)
        }
        self.context.send(.connect(id, peripheral.identifier, peripheral.address, connectOptions))
    }

    /// Ends a connection, or stops waiting for one; the delegate gets a disconnection without an error.
    ///
    /// The link itself stays while another manager of this adapter uses it.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard self.isPoweredOn(), self.owns(peripheral), let id = peripheral.beginDisconnecting() else { return }
        self.context.send(.cancelConnection(id))
    }

    private func owns(_ peripheral: CBPeripheral) -> Bool {
        guard peripheral.context === self.context, self.lock.withLock({ peripheral.isValid }) else {
            LogLines.misuse("\(peripheral) is not a valid peripheral of \(self)")
            return false
        }
        return true
    }

    // MARK: Known peripherals

    /// Known peripherals by identifier, in the given order; unknown ones are left out.
    @discardableResult
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard self.isPoweredOn() else { return [] }
        return identifiers.compactMap { identifier in
            self.adapter.identities.record(for: identifier).map {
                self.context.peripheral(for: PeerDescription($0))
            }
        }
    }

    /// Peripherals that are connected to this system, by any app, and have one of some services as far as known.
    ///
    /// The app must connect to them itself, too.
    @discardableResult
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard self.isPoweredOn() else { return [] }
        return self.adapter.connectedPeers.peers(withAnyOf: serviceUUIDs.map(\.value)).map { address in
            self.context.peripheral(for: PeerDescription(self.adapter.identities.record(for: address)))
        }
    }

    /// Requests events when certain peers connect or disconnect, whichever app connected them; `nil` stops them.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard self.isPoweredOn() else { return }
        let filter = options.map { options in
            ConnectionEventFilter(
                services: (options[.serviceUUIDs] as? [CBUUID] ?? []).map(\.value),
                identifiers: options[.peripheralUUIDs] as? [UUID] ?? []
            )
        }
        self.context.send(.registerForConnectionEvents(filter))
    }
}

extension PeerDescription {
    /// A device's stored description.
    init(_ record: IdentityStore.Record) {
        self.init(identifier: record.identifier, address: record.address, name: record.name)
    }
}

/// Whether an option's value is true: a `Bool` or an `NSNumber`.
private func isTrue(_ value: Any) -> Bool {
    (value as? Bool) ?? (value as? NSNumber)?.boolValue ?? false
}
