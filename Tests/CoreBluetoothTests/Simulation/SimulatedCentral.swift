// An app in the central role that does anything at any time, and compares each callback with the calls before it.

import BluetoothTypes

@testable import CoreBluetooth

/// One central manager of a simulation, with its peripherals.
final class SimulatedCentral {
    /// A procedure whose callback is awaited: the word that `CentralApp` has for it, and the attribute.
    typealias Awaited = (what: String, attribute: CBAttribute?)

    /// The state of one of its peripherals, as far as it follows from calls and callbacks.
    final class Known {
        let peripheral: CBPeripheral
        /// Requested connections whose end was not reported yet.
        var openAttempts = 0
        var reconnectsByItself = false
        /// Whether a cancelled request whose end was not reported yet reconnects by itself.
        var didReconnectByItself = false
        /// Whether a request that was made while the peripheral was connected reconnects by itself; `nil` if there was
        /// none.
        var repeatedRequest: Bool?
        /// Requests that were made while the peripheral is connected.
        var repeatedRequests = 0
        /// Those of a cancelled connection: each ends by itself if the link was lost before it.
        var possibleEnds = 0
        /// Cancellations that no end without an error has reported.
        var cancellations = 0
        var awaited: [Awaited] = []
        var awaitedRSSI = 0
        /// Characteristics for which notifications were asked for on this connection.
        var notified: Set<ObjectIdentifier> = []
        /// Whether `canSendWriteWithoutResponse` was false.
        var awaitsCapacity = false

        init(_ peripheral: CBPeripheral) { self.peripheral = peripheral }

        func forgetConnection() {
            self.repeatedRequest = nil
            self.repeatedRequests = 0
            self.awaited = []
            self.awaitedRSSI = 0
            self.notified = []
            self.awaitsCapacity = false
        }
    }

    let name: String
    let log: SimulationLog
    private let app: CentralApp
    private(set) var known: [Known] = []
    private var lastState = CBManagerState.unknown
    /// Called in the callbacks of a peripheral.
    var onCallback: ((Known) -> Void)?

    init(_ name: String, on adapter: BluetoothAdapter, log: SimulationLog) {
        self.name = name
        self.log = log
        self.app = CentralApp(on: adapter)
        self.app.onCall = { [unowned self] call in if call.hasPrefix("state") { self.stateChanged() } }
        self.app.onReport = { [unowned self] in self.reported($0) }
    }

    var manager: CBCentralManager { self.app.manager }

    func known(_ peripheral: CBPeripheral) -> Known? { self.known.first { $0.peripheral === peripheral } }

    // MARK: Actions

    func connect(_ known: Known, options: [String: Any]?) {
        self.log.note("\(self.name) connects \(known.peripheral.name ?? "-"), \(known.peripheral.state)")
        guard self.manager.state == .poweredOn, known.peripheral.isValid else { return }
        switch known.peripheral.state {
        case .disconnected, .disconnecting:
            known.openAttempts += 1
            known.reconnectsByItself = options?[CBConnectPeripheralOptionEnableAutoReconnect] != nil
        case .connected:
            // Where the link is lost and the app does not know, this is a request that goes on after the report.
            let reconnects = options?[CBConnectPeripheralOptionEnableAutoReconnect] != nil
            known.repeatedRequest = reconnects || known.repeatedRequest == true
            known.repeatedRequests += 1
        case .connecting: break
        @unknown default: break
        }
        self.manager.connect(known.peripheral, options: options)
    }

    func cancel(_ known: Known) {
        self.log.note("\(self.name) cancels \(known.peripheral.name ?? "-"), \(known.peripheral.state)")
        if self.manager.state == .poweredOn, known.peripheral.isValid,
            known.peripheral.state == .connected || known.peripheral.state == .connecting
        {
            known.cancellations += 1
            known.possibleEnds += known.repeatedRequests
            if known.reconnectsByItself { known.didReconnectByItself = true }
            known.forgetConnection()
        }
        self.manager.cancelPeripheralConnection(known.peripheral)
    }

    /// Lets the last reference of a peripheral go.
    func drop(_ known: Known) { self.known.removeAll { $0 === known } }

    func keep(_ peripheral: CBPeripheral) {
        peripheral.delegate = self.app
        if self.known(peripheral) == nil { self.known.append(Known(peripheral)) }
    }

    /// Calls `body`, which asks for something about `attribute`, and waits for its callback.
    func ask(_ known: Known, _ what: String, _ attribute: CBAttribute?, _ body: (CBPeripheral) -> Void) {
        if known.peripheral.state == .connected, attribute.map({ self.isAlive($0, of: known.peripheral) }) ?? true {
            known.awaited.append((what, attribute))
        }
        body(known.peripheral)
    }

    /// Whether an attribute belongs to the present connection.
    private func isAlive(_ attribute: CBAttribute, of peripheral: CBPeripheral) -> Bool {
        let attributes = peripheral.attributes
        return switch attribute {
        case let service as CBService: attributes.services.all.contains { $0 === service }
        case let characteristic as CBCharacteristic: attributes.characteristics.all.contains { $0 === characteristic }
        case let descriptor as CBDescriptor: attributes.descriptors.all.contains { $0 === descriptor }
        default: false
        }
    }

    // MARK: Invariants

    func check() {
        let isOn = self.manager.state == .poweredOn
        self.log.require(isOn || !self.manager.isScanning, "\(self.name) scans while it is off")
        for known in self.known {
            let peripheral = known.peripheral
            switch peripheral.state {
            case .disconnected:
                self.log.require(peripheral.services == nil, "\(self.name): services without a connection")
            case .connecting, .connected, .disconnecting:
                self.log.require(isOn, "\(self.name): \(peripheral.state) while it is off")
                self.log.require(known.openAttempts > 0, "\(self.name): \(peripheral.state) without a request")
            @unknown default: self.log.violation("state \(peripheral.state.rawValue)")
            }
            if peripheral.state != .connected, !(known.reconnectsByItself && peripheral.state == .connecting) {
                self.log.require(
                    known.awaited.isEmpty,
                    "\(self.name): \(known.awaited) awaited in state \(peripheral.state)"
                )
            }
        }
    }

    /// Checks that nothing is awaited when everything has come to rest.
    func checkRest() {
        for known in self.known {
            self.log.require(known.awaited.isEmpty, "\(self.name): never reported: \(known.awaited.map(\.what))")
            self.log.require(known.awaitedRSSI == 0, "\(self.name): never reported: RSSI")
            self.log.require(!known.awaitsCapacity, "\(self.name): ready never called")
            self.log.require(known.peripheral.state != .disconnecting, "\(self.name): disconnecting for ever")
        }
    }

    // MARK: Callbacks

    private func stateChanged() {
        let state = self.manager.state
        self.log.note("\(self.name) state \(state.rawValue)")
        self.log.require(state != self.lastState, "\(self.name): the same state twice")
        self.lastState = state
        guard state != .poweredOn else { return }
        for known in self.known {
            known.forgetConnection()
            known.openAttempts = 0
            known.possibleEnds = 0
            known.cancellations = 0
            known.didReconnectByItself = false
            self.log.require(known.peripheral.state == .disconnected, "\(self.name): connected while switched off")
        }
    }

    private func reported(_ report: CentralApp.Report) {
        let (call, peripheral, error) = (report.call, report.peripheral, report.error)
        let code = error.map { " \(($0 as NSError).code)" } ?? ""
        self.log.note("\(self.name) \(call) of \(peripheral.name ?? "-")\(code)")
        self.log.require(self.manager.state == .poweredOn, "\(self.name): \(call) while off")
        // The app keeps what it finds, and the simulation decides for how long.
        self.app.found = []
        let word = String(call.prefix { $0 != " " })
        switch word {
        case "discover":
            self.log.require(self.manager.isScanning, "\(self.name): discovery without a scan")
            return self.keep(peripheral)
        case "event": return self.keep(peripheral)
        default: break
        }
        guard let known = self.known(peripheral) else {
            let isHarmless =
                ["name", "ready", "modified"].contains(word) || word == "disconnect" && self.isReconnecting
            return self.log.require(isHarmless, "\(self.name): \(call) of an unknown peripheral")
        }
        let isConnected = peripheral.state == .connected
        switch word {
        case "connect":
            self.log.require(isConnected, "\(self.name): connected in state \(peripheral.state)")
            self.log.require(known.openAttempts > 0, "\(self.name): a connection without a request")
            self.onCallback?(known)
        case "disconnect" where self.isReconnecting:
            // A report that was on its way when the app cancelled.
            let isAsked = known.reconnectsByItself || known.didReconnectByItself
            self.log.require(isAsked, "\(self.name): reconnects without the option")
            if peripheral.state == .connecting { known.forgetConnection() }
        case "fail", "disconnect": self.ended(known, error)
        case "name": break
        default:
            self.log.require(isConnected, "\(self.name): \(call) without a connection")
            self.used(known, word, report)
        }
    }

    /// Whether the system connects again by itself after the end that was reported last.
    private var isReconnecting: Bool { self.app.ends.last?.isReconnecting == true }

    private func ended(_ known: Known, _ error: (any Error)?) {
        let peripheral = known.peripheral
        if known.openAttempts == 0, known.possibleEnds > 0 {
            known.possibleEnds -= 1
            known.openAttempts = 1
        }
        self.log.require(known.openAttempts > 0, "\(self.name): an end without a beginning")
        self.log.require(error != nil || known.cancellations > 0, "\(self.name): an end without a reason")
        known.openAttempts -= 1
        if known.repeatedRequest == true { known.reconnectsByItself = true }
        if known.openAttempts == 0, peripheral.state != .disconnected, let reconnects = known.repeatedRequest {
            known.forgetConnection()
            known.openAttempts = 1
            known.reconnectsByItself = known.reconnectsByItself || reconnects
        }
        if known.openAttempts == 0, peripheral.state != .disconnected, known.possibleEnds > 0 {
            // The link was lost before: the cancelled request ends after it.
            known.possibleEnds -= 1
            known.openAttempts = 1
        }
        if error == nil { known.cancellations -= 1 }
        // A later request goes on.
        if known.openAttempts == 0 {
            self.log.require(peripheral.state == .disconnected, "\(self.name): ended in state \(peripheral.state)")
            known.forgetConnection()
            known.didReconnectByItself = false
        }
        self.onCallback?(known)
    }

    /// A callback of a connection: the answer that was to come next, or one that comes by itself.
    private func used(_ known: Known, _ word: String, _ report: CentralApp.Report) {
        let peripheral = known.peripheral
        switch word {
        case "rssi":
            self.log.require(known.awaitedRSSI > 0, "\(self.name): RSSI without a request")
            known.awaitedRSSI -= 1
        case "ready":
            let canSend = peripheral.canSendWriteWithoutResponse
            self.log.require(canSend, "\(self.name): ready while canSendWriteWithoutResponse is false")
            known.awaitsCapacity = false
        case "modified":
            let isThere = report.attribute.map { self.isAlive($0, of: peripheral) } ?? false
            self.log.require(!isThere, "\(self.name): an invalid service is still there")
            known.awaited.removeAll { awaited in
                awaited.attribute.map { !self.isAlive($0, of: peripheral) } ?? false
            }
        // Values of the test say by their first letter whether they were read or sent.
        case "value"
        where report.error == nil && (report.attribute as? CBCharacteristic)?.value?.first == UInt8(ascii: "n"):
            let isAsked = report.attribute.map { known.notified.contains(ObjectIdentifier($0)) } == true
            self.log.require(isAsked, "\(self.name): a notification without a subscription")
        default: self.answered(known, word, report)
        }
    }

    private func answered(_ known: Known, _ word: String, _ report: CentralApp.Report) {
        func isMeant(_ awaited: Awaited) -> Bool { awaited.what == word && awaited.attribute === report.attribute }
        // A procedure on an invalidated attribute has no callback.
        while let first = known.awaited.first, !isMeant(first), let attribute = first.attribute,
            !self.isAlive(attribute, of: known.peripheral)
        {
            known.awaited.removeFirst()
        }
        // What concerns services that become invalid is answered at once, before what was asked earlier.
        let isInvalid = (report.error as? CBATTError)?.code == .invalidHandle
        if isInvalid, let index = known.awaited.firstIndex(where: isMeant) {
            known.awaited.remove(at: index)
        } else {
            guard let first = known.awaited.first, isMeant(first) else {
                let awaited = known.awaited.first?.what ?? "nothing"
                return self.log.violation("\(self.name): \(word) while \(awaited) is awaited")
            }
            known.awaited.removeFirst()
        }
        self.onCallback?(known)
    }
}
