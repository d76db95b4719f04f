// An adapter's configuration, and the default adapter of a program that names none.

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
        /// The device's identity on an air, which determines its address.
        ///
        /// `nil` for the program's name.
        public var identity: String?
        /// The device's distance from the others on an air, in metres; `nil` for 1 m.
        public var distance: Double?
        /// The device's position on an air, which replaces the distance; `nil` for none.
        ///
        /// Devices that have positions hear each other by the distance between them. A device with a position is 1 m,
        /// or the distance of the other, from a device without one.
        public var position: AirPosition?
        /// A btsnoop file for all HCI packets.
        public var captureFile: String?
        /// The ATT MTU that this device offers, 23 to 517 octets; the smaller offer of the two sides is used.
        public var preferredMTU: Int
        /// Whether apps may publish the services Current Time (1805), Device Information (180A) and Battery (180F).
        ///
        /// Apple's systems serve them and refuse an app's with ``CBError/Code/uuidNotAllowed``. Linux serves none of
        /// them, so set this for a device that needs one. By default apps are refused as on a phone.
        public var permitsSystemServices: Bool
        /// Whether apps may advertise ``CBAdvertisementDataManufacturerDataKey``, of up to 26 octets.
        ///
        /// Apple's systems ignore it. Set this for a beacon, or a sensor that advertises its value.
        public var permitsManufacturerData = false
        /// Whether a name may fill the scan response, up to 29 octets, instead of an app's 10.
        ///
        /// Set this for a copy of a device with a longer name.
        package var permitsWholeName = false
        /// The GAP Appearance (Assigned Numbers, 2.6).
        package var appearance: UInt16 = 0
        /// Whether this device pairs with others at all.
        ///
        /// True by default. A device that does not pair refuses every request to pair, and can only use what its peers
        /// offer to everyone.
        public var permitsPairing: Bool = true
        /// Whether the keys of a pairing are kept.
        package var isBondable = true
        /// Whether LE Secure Connections are offered.
        package var offersSecureConnections = true
        /// Talks to the user while this device pairs; `nil` for a device with neither display nor keys.
        public var pairingAgent: (any PairingAgent)?
        /// Whether only paired devices can use the services and channels that apps publish, whatever their permissions
        /// say.
        ///
        /// If the ``pairingAgent`` can show or take a code, or exchanges out-of-band data, the pairing must protect
        /// against a man in the middle, and devices that cannot do that are refused.
        public var requiresPairing: Bool = false
        /// The use of private addresses; `nil` for a device that keeps its address.
        ///
        /// Only paired devices recognize a device with private addresses; to all others it is a new device, with
        /// another `identifier`, each time its address changes.
        public var privacy: Privacy?
        /// Whether to use flow control from the controller to this host (Vol 4, Part E, 4.2), so that a peer that sends
        /// faster than the app takes values has to wait; `nil` for the default.
        ///
        /// By default only the controllers of an air are asked, since some others list the commands and fail at them.
        /// If the controller is not asked, or refuses, a connection on which 4 MiB wait for the app ends with
        /// ``CBError/Code/peripheralDisconnected``.
        public var controllerToHostFlowControl: Bool?
        /// Whether to use the extended commands of advertising, scanning and connecting if the controller lists them,
        /// so that devices that advertise in extended PDUs are found; `nil` for the default.
        ///
        /// By default they are used, unless the controller refuses them, or hears nothing by them that it hears without
        /// them. With `true` there is no such trial.
        public var extendedAdvertising: Bool?
        /// Whether a controller of an air gets the same trial: for models of real ones.
        package var triesExtendedAdvertising = false
        /// Whether writes without response that an app makes while ``CBPeripheral/canSendWriteWithoutResponse`` is
        /// false are lost: for tests.
        package var losesOverrunningWrites = false
        /// Whether to use databases of peers from an earlier process or connection.
        package var usesCachedDatabases = true
        /// Observes everything that passes between apps, Core Bluetooth and the controller.
        package var observer: (any AdapterObserver)?
        /// The delay before events are reported to delegates, together with those that arrive meanwhile.
        ///
        /// Zero by default. On an instant air an answer can be faster than any phone's: code that asks, and only then
        /// begins to listen for the answer, as some wrappers with publishers do, misses it. With a delay of 20 ms it
        /// works as on a phone.
        public var callbackDelay: Duration = .zero

        @usableFromInline static let maximumMTU = ATT.maximumMTU

        /// Creates a configuration with defaults for everything that is not given.
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

        /// Creates a configuration from the environment: `COREBLUETOOTH_IDENTITY`, `COREBLUETOOTH_DISTANCE`,
        /// `COREBLUETOOTH_POSITION`, `COREBLUETOOTH_CAPTURE`, `COREBLUETOOTH_FLOW_CONTROL` and
        /// `COREBLUETOOTH_EXTENDED_ADVERTISING` (`on` or `off`), `COREBLUETOOTH_PRIVACY` (`on`, `off` or an address's
        /// lifetime in seconds).
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

    /// The adapter of managers that name none: that of the surrounding
    /// ``run(_:)``, else the selected one, else the one that `COREBLUETOOTH_ADAPTER` names, else the user's air.
    public static var `default`: BluetoothAdapter {
        if let surrounding = self.surrounding ?? WorkContext.ofWork?.adapter { return surrounding }
        WorkContext.reportMissing()
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

    /// Logs once that there is a Linux adapter, when a program that names none gets the user's air.
    package static func reportLinuxAdapter(folder: String = "/sys/class") {
        guard let name = AdapterListing(folder: folder).adapters.first?.name else { return }
        Notice.once(
            "the adapter is the user's own air, without radio; COREBLUETOOTH_ADAPTER=\(name) uses \(name)",
            .notice
        )
    }

    /// Makes the adapter with this name the process's default.
    ///
    /// It is opened when the first manager is created.
    ///
    /// - Throws: ``BluetoothAdapterError`` if the name is invalid.
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
    /// A position from text, two numbers of metres separated by a comma; `nil` for other text.
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

    /// The device's identity.
    var identityName: String { self.identity ?? ProcessInfo.processInfo.processName }

    /// A random static address that depends only on the identity; a device without an identity gets the next of a
    /// sequence.
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

    /// This device's random static address on a controller without a public one, the same in every run.
    ///
    /// It depends on the controller's name and the machine's identifier, so that two devices differ.
    func fallbackAddress(on name: AdapterName, machine: String = Self.machine) -> DeviceAddress {
        var generator = SeededGenerator(seed: fnv1a("\(name) \(self.identityName) \(machine)".utf8))
        return .randomStatic(using: &generator)
    }

    /// The machine's identifier (machine-id(5)), else its name.
    private static let machine =
        (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)).flatMap { $0.isEmpty ? nil : $0 }
        ?? ProcessInfo.processInfo.hostName

    private static let anonymous = NIOLockedValueBox<UInt64>(0)

    /// The host's configuration.
    func hostConfiguration(address: DeviceAddress?) -> LEHostConfiguration {
        LEHostConfiguration(
            deviceName: self.deviceName ?? self.identityName,
            appearance: self.appearance,
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
    /// The minimum security level of a link for using what apps publish.
    var requiredLevel: SecurityLevel {
        guard self.requiresPairing else { return .none }
        return self.pairingAgent?.canAuthenticate == true ? .authenticated : .encrypted
    }

    /// The device's pairing configuration, which follows from its user's capabilities.
    fileprivate var pairing: PairingConfiguration {
        let capabilities = self.pairingAgent?.capabilities ?? .none
        return PairingConfiguration(
            isPairingAllowed: self.permitsPairing,
            ioCapability: capabilities.ioCapability,
            isBondable: self.isBondable,
            prefersMITMProtection: self.pairingAgent?.canAuthenticate == true,
            minimumLevel: max(.encrypted, self.requiredLevel),
            supportsSecureConnections: self.offersSecureConnections
        )
    }
}

/// The offset basis of the 64-bit FNV-1a hash.
package let fnv1aBasis: UInt64 = 0xCBF2_9CE4_8422_2325

/// The FNV-1a hash of octets: the same in every process.
package func fnv1a(_ octets: some Sequence<UInt8>, from basis: UInt64 = fnv1aBasis) -> UInt64 {
    octets.reduce(basis) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}
