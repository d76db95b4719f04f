// How an adapter presents itself, and which adapter a program gets that says nothing about it.

public import BluetoothAir
import BluetoothHost
import BluetoothTransport
package import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

extension BluetoothAdapter {
    /// How this device presents itself.
    public struct Configuration: Sendable {
        /// The name that other devices read from the Generic Access service; `nil` for the identity.
        public var deviceName: String?
        /// The name under which this device is known on an air: it decides the address.
        ///
        /// `nil` for the program's name.
        public var identity: String?
        /// How far the device stands from the others on an air, in metres; `nil` for 1 m.
        public var distance: Double?
        /// The position of the device on an air, which counts in place of the distance; `nil` for none.
        ///
        /// Devices that have positions hear each other by the distance between them. A device with a position is 1 m,
        /// or the distance of the other, from a device without one.
        public var position: AirPosition?
        /// A file that gets all HCI packets in the format of btsnoop.
        public var captureFile: String?
        /// The ATT MTU that this device offers, 23 to 517 octets; the smaller of both sides' offers counts.
        public var preferredMTU: Int
        /// Whether apps may publish the services Current Time (1805), Device Information (180A) and Battery (180F).
        ///
        /// Apple's systems serve them themselves and refuse an app's with ``CBError/Code/uuidNotAllowed``. Linux serves
        /// none of them, so a device that needs one permits it here. By default apps are refused as on a phone.
        public var permitsSystemServices: Bool
        /// Whether apps may advertise ``CBAdvertisementDataManufacturerDataKey``, of up to 26 octets.
        ///
        /// Apple's systems ignore it. A beacon, or a sensor that says its value without a connection, permits it here.
        public var permitsManufacturerData = false
        /// Whether a name may take all of the scan response, up to 29 octets, and not the 10 that apps have.
        ///
        /// A device that is to be like another one, whose name is longer, permits it here.
        package var permitsWholeName = false
        /// Whether this device pairs with others at all.
        ///
        /// True unless it is set. A device that does not pair refuses every request, and gets from its peers only what
        /// they give to everybody.
        public var permitsPairing: Bool = true
        /// Who speaks with the user while this device pairs with another one; `nil` for a device that has neither
        /// display nor keys.
        public var pairingAgent: (any PairingAgent)?
        /// Whether services that apps publish, and channels, can only be used by devices that have paired, whatever
        /// their permissions say.
        ///
        /// Where the ``pairingAgent`` can show or take a code, or gives and takes data by another way than Bluetooth,
        /// the pairing has to protect against a man in the middle: devices that can do none of it are refused.
        public var requiresPairing: Bool = false
        /// How this device hides itself behind private addresses; `nil` for one that keeps its address.
        ///
        /// A device that hides itself is known again only by those with which it has paired; to all others it is
        /// another one, with another `identifier`, each time that its address changes.
        public var privacy: Privacy?
        /// Whether the controller is asked to send no more data than this host has finished with (Vol 4, Part E, 4.2),
        /// so that a peer that sends faster than the app takes it waits; `nil` for the default.
        ///
        /// By default the controllers of an air are asked and no others: there are some that list the commands and stop
        /// at them. Where the controller is not asked, or refuses, a connection on which 4 MiB wait for the app ends
        /// with ``CBError/Code/peripheralDisconnected``.
        public var controllerToHostFlowControl: Bool?
        /// Whether the controller is given the extended commands of advertising, scanning and connecting if it lists
        /// them, so that devices that advertise in extended PDUs are found; `nil` for the default.
        ///
        /// By default it is, unless it refuses them, or accepts them and then hears nobody that it hears without them.
        /// With `true` it is not tried out before.
        public var extendedAdvertising: Bool?
        /// Whether a controller of an air is tried out like others: for models of those that people own.
        package var triesExtendedAdvertising = false
        /// Whether writes without response that an app makes while
        /// ``CBPeripheral/canSendWriteWithoutResponse`` is false are lost, all of them: for tests.
        package var losesOverrunningWrites = false
        /// Whether databases of peers that were discovered by an earlier process, or on an earlier connection, are
        /// used.
        package var usesCachedDatabases = true
        /// What sees all that passes between apps, Core Bluetooth and the controller; `nil` for nobody.
        package var observer: (any AdapterObserver)?
        /// How long events wait before they are reported to delegates; those that come meanwhile go with them.
        ///
        /// Zero unless it is set. On an instant air an answer may be faster than any phone's: code that asks, and only
        /// then begins to listen for the answer, as some wrappers with publishers do, misses it. With a delay of 20 ms
        /// it behaves as on a phone.
        public var callbackDelay: Duration = .zero

        @usableFromInline static let maximumMTU = ATT.maximumMTU

        /// A configuration that leaves to the defaults what is not given.
        public init(
            deviceName: String? = nil,
            identity: String? = nil,
            distance: Double? = nil,
            position: AirPosition? = nil,
            captureFile: String? = nil,
            preferredMTU: Int = Self.maximumMTU,
            permitsSystemServices: Bool = false,
            controllerToHostFlowControl: Bool? = nil
        ) {
            self.deviceName = deviceName
            self.identity = identity
            self.distance = distance
            self.position = position
            self.captureFile = captureFile
            self.preferredMTU = preferredMTU
            self.permitsSystemServices = permitsSystemServices
            self.controllerToHostFlowControl = controllerToHostFlowControl
        }

        /// What the environment says: `COREBLUETOOTH_IDENTITY`, `COREBLUETOOTH_DISTANCE`, `COREBLUETOOTH_POSITION`,
        /// `COREBLUETOOTH_CAPTURE`, `COREBLUETOOTH_FLOW_CONTROL` and `COREBLUETOOTH_EXTENDED_ADVERTISING` (`on` or
        /// `off`), `COREBLUETOOTH_PRIVACY` (`on`, `off` or the seconds for which an address is used).
        public static var environment: Configuration { Configuration(environment: ProcessInfo.processInfo.environment) }

        init(environment: [String: String]) {
            self.init(
                identity: environment["COREBLUETOOTH_IDENTITY"].flatMap { $0.isEmpty ? nil : $0 },
                captureFile: environment["COREBLUETOOTH_CAPTURE"].flatMap { $0.isEmpty ? nil : $0 }
            )
            if let text = environment["COREBLUETOOTH_DISTANCE"], !text.isEmpty {
                if let distance = Double(text), distance >= 0, distance.isFinite {
                    self.distance = distance
                } else {
                    Notice.once("COREBLUETOOTH_DISTANCE is \"\(text)\"; write a number of metres, such as 2.5")
                }
            }
            for (name, path) in [
                ("FLOW_CONTROL", \Configuration.controllerToHostFlowControl),
                ("EXTENDED_ADVERTISING", \Configuration.extendedAdvertising),
            ] {
                switch environment["COREBLUETOOTH_" + name] {
                case nil, "": break
                case "on": self[keyPath: path] = true
                case "off": self[keyPath: path] = false
                case let text?: Notice.once("COREBLUETOOTH_\(name) is \"\(text)\"; write on or off")
                }
            }
            switch environment["COREBLUETOOTH_PRIVACY"] {
            case nil, "", "off": break
            case "on": self.privacy = Privacy()
            case let text?:
                if let seconds = Int(text), Privacy.intervals.contains(.seconds(seconds)) {
                    self.privacy = Privacy(rotationInterval: .seconds(seconds))
                } else {
                    Notice.once("COREBLUETOOTH_PRIVACY is \"\(text)\"; write on, off, or 1 to 3600 seconds")
                }
            }
            if let text = environment["COREBLUETOOTH_POSITION"], !text.isEmpty {
                if let position = Self.position(text) {
                    self.position = position
                } else {
                    Notice.once("COREBLUETOOTH_POSITION is \"\(text)\"; write two numbers of metres, such as 300,0")
                }
            }
        }
    }

    // MARK: The default adapter

    @TaskLocal static var surrounding: BluetoothAdapter?
    private static let selected = NIOLockedValueBox<BluetoothAdapter?>(nil)

    /// The adapter of managers that are given none: that of the surrounding ``run(_:)``, else the one that was
    /// selected, else the one that `COREBLUETOOTH_ADAPTER` names, else the user's air.
    public static var `default`: BluetoothAdapter {
        if let surrounding = self.surrounding ?? Surroundings.ofWork?.adapter { return surrounding }
        Surroundings.reportMissing()
        return self.selected.withLockedValue { selected in
            if let selected { return selected }
            let name = ProcessInfo.processInfo.environment["COREBLUETOOTH_ADAPTER"] ?? ""
            if name.isEmpty { self.reportLinuxAdapter() }
            let configuration = Configuration.environment
            let adapter: BluetoothAdapter
            do {
                adapter = try BluetoothAdapter(name.isEmpty ? "air" : name, configuration: configuration)
            } catch {
                let reason = "COREBLUETOOTH_ADAPTER: \(error)"
                adapter = BluetoothAdapter(configuration) { _ in AdapterComponents(refused: reason) }
            }
            selected = adapter
            return adapter
        }
    }

    /// Says once which Linux adapter there is, where a program that names none gets the user's air.
    package static func reportLinuxAdapter(folder: String = "/sys/class") {
        guard let name = AdapterListing(folder: folder).adapters.first?.name else { return }
        Notice.once(
            "the adapter is the user's own air, without radio; COREBLUETOOTH_ADAPTER=\(name) uses \(name)",
            .notice
        )
    }

    /// Makes the adapter with this name the process's default.
    ///
    /// It is opened when the first manager is made.
    ///
    /// - Throws: ``BluetoothAdapterError`` where the name is not one.
    public static func select(_ name: String, configuration: Configuration = .environment) throws {
        self.select(try BluetoothAdapter(name, configuration: configuration))
    }

    /// Makes an adapter the process's default.
    public static func select(_ adapter: BluetoothAdapter) {
        let old = self.selected.withLockedValue { selected in
            defer { selected = adapter }
            return selected
        }
        withExtendedLifetime(old) {}
    }

    /// Makes the adapter the default for managers that `body` creates.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$surrounding.withValue(self, operation: body)
    }

    /// Makes the adapter the default for managers that `body` creates.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$surrounding.withValue(self, operation: body, isolation: isolation)
    }
}

extension BluetoothAdapter.Configuration {
    /// A position as a person writes it, two numbers of metres with a comma between them; `nil` for other text.
    package static func position(_ text: String) -> AirPosition? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard parts.count == 2, numbers.count == 2, numbers.allSatisfy({ abs($0) <= AirPosition.limit }) else {
            return nil
        }
        return AirPosition(x: numbers[0], y: numbers[1])
    }

    /// Where the device is on an air; `nil` for 1 m from all others.
    var location: AirLocation? {
        self.position.map(AirLocation.position) ?? self.distance.map { .distance(.metres($0)) }
    }

    /// The name under which the device is known.
    var identityName: String { self.identity ?? ProcessInfo.processInfo.processName }

    /// A random static address that depends on the identity alone; a device without an identity gets the next of a row.
    package var addressOnAir: DeviceAddress {
        let seed =
            switch self.identity {
            case let identity?: fnv1a(identity.utf8)
            case nil:
                Self.anonymous.withLockedValue { count in
                    count += 1
                    return count
                }
            }
        var generator = SeededGenerator(seed: seed)
        return .randomStatic(using: &generator)
    }

    /// The random static address of this device on a controller that has no public one: the same in every run.
    ///
    /// Two devices on two such controllers differ, since a controller has a name of its own on a machine, and a machine
    /// a number of its own.
    func fallbackAddress(on name: AdapterName, machine: String = Self.machine) -> DeviceAddress {
        var generator = SeededGenerator(seed: fnv1a("\(name) \(self.identityName) \(machine)".utf8))
        return .randomStatic(using: &generator)
    }

    /// The number that a machine keeps from its installation on (machine-id(5)), else its name.
    private static let machine =
        (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)).flatMap { $0.isEmpty ? nil : $0 }
        ?? ProcessInfo.processInfo.hostName

    private static let anonymous = NIOLockedValueBox<UInt64>(0)

    /// What the host is given.
    func hostConfiguration(address: DeviceAddress?) -> LEHostConfiguration {
        LEHostConfiguration(
            deviceName: self.deviceName ?? self.identityName,
            address: address,
            preferredMTU: self.preferredMTU,
            usesExtendedAdvertising: self.extendedAdvertising ?? (self.triesExtendedAdvertising ? nil : true),
            limitsReceivedData: self.controllerToHostFlowControl ?? true,
            pairing: self.pairing,
            privacy: self.privacy?.hostConfiguration
        )
    }
}

extension BluetoothAdapter.Configuration {
    /// The least that every link has to have before what apps publish can be used.
    var requiredLevel: SecurityLevel {
        guard self.requiresPairing else { return .none }
        return self.pairingAgent?.canAuthenticate == true ? .authenticated : .encrypted
    }

    /// How the device pairs, as follows from what its user can see and do.
    fileprivate var pairing: PairingConfiguration {
        let capabilities = self.pairingAgent?.capabilities ?? .none
        return PairingConfiguration(
            isPairingAllowed: self.permitsPairing,
            ioCapability: capabilities.ioCapability,
            prefersMITMProtection: self.pairingAgent?.canAuthenticate == true,
            minimumLevel: max(.encrypted, self.requiredLevel)
        )
    }
}

/// Where the FNV-1a hash of 64 bits begins.
package let fnv1aBasis: UInt64 = 0xCBF2_9CE4_8422_2325

/// The FNV-1a hash of octets: the same in every process.
package func fnv1a(_ octets: some Sequence<UInt8>, from basis: UInt64 = fnv1aBasis) -> UInt64 {
    octets.reduce(basis) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}
