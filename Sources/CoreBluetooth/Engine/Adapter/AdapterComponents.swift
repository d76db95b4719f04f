// The parts of an adapter, created on its event loop: the source of its channels, its own address, its capture.

import BluetoothAir
import BluetoothAirService
import BluetoothBlueZ
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// The parts that are created on the event loop.
struct AdapterComponents {
    var source: any ChannelSource
    var configuration: LEHostConfiguration
    /// Kept as long as the adapter: the lock on its identity.
    var retained: (any Sendable)?
    /// Talks to the user while devices pair.
    var pairingAgent: (any PairingAgent)?
    /// Whether cached databases of peers are used.
    var usesCachedDatabases = true
    /// The functions of BlueZ besides HCI, if the adapter is BlueZ's.
    var bluez: BlueZSource?
}

extension AdapterComponents {
    /// The parts of an adapter in an air of this process.
    init(air: Air, _ configuration: BluetoothAdapter.Configuration, address: DeviceAddress) {
        self.init(
            source: AirSource(air: air, location: configuration.location),
            configuration: configuration.hostConfiguration(address: address)
        )
        self.complete(configuration)
    }

    /// The parts of the adapter with a name.
    ///
    /// Setup errors are reported when the first manager is created.
    init(_ name: AdapterName, _ configuration: BluetoothAdapter.Configuration, on eventLoop: any EventLoop) {
        if case .bluez(let index) = name {
            self.init(BlueZSource(adapter: index, on: eventLoop), configuration)
            return
        }
        let logger = Logger(label: "bluetooth.adapter")
        do {
            let identity: AirIdentity?
            switch name {
            // On an air every device needs its own address; a controller usually has one.
            case .userAir, .air: identity = try configuration.claimIdentity(logger)
            case .h4, .serial, .linux, .bluez: identity = nil
            }
            var hostConfiguration = configuration.hostConfiguration(address: identity?.address)
            hostConfiguration.fallbackAddress = configuration.fallbackAddress(on: name)
            switch name {
            // The process that serves an air may be suspended for a moment, and then continues.
            case .userAir, .air: hostConfiguration.commandTimeout = .seconds(20)
            // Some controllers hang at commands that they claim to support.
            case .h4, .serial, .linux, .bluez:
                hostConfiguration.limitsReceivedData = configuration.controllerToHostFlowControl ?? false
                hostConfiguration.usesExtendedAdvertising = configuration.extendedAdvertising
            }
            let location = configuration.location
            self.init(
                source: NamedSource(ControllerSource(name, location: location, on: eventLoop, logger: logger)),
                configuration: hostConfiguration,
                retained: identity
            )
            self.complete(configuration)
        } catch {
            self.init(refused: error.message)
        }
    }

    /// The parts of an adapter that BlueZ manages.
    init(_ bluez: BlueZSource, _ configuration: BluetoothAdapter.Configuration) {
        var hostConfiguration = configuration.hostConfiguration(address: nil)
        // A virtual controller, whose commands wait for BlueZ.
        hostConfiguration.commandTimeout = .seconds(60)
        hostConfiguration.limitsReceivedData = true
        hostConfiguration.usesExtendedAdvertising = true
        // BlueZ pairs; what it has refused stays refused.
        hostConfiguration.pairing.isPairingAllowed = false
        bluez.capability = configuration.pairingAgent?.capabilities.ioCapability ?? .noInputNoOutput
        self.init(source: BlueZChannelSource(bluez), configuration: hostConfiguration)
        self.bluez = bluez
        self.complete(configuration)
        // The mirror of a device has no Database Hash to validate a cached database with.
        self.usesCachedDatabases = false
    }

    /// The parts of an adapter that cannot be opened.
    init(refused reason: String) {
        self.init(source: RefusedSource(reason), configuration: LEHostConfiguration())
    }

    private mutating func complete(_ configuration: BluetoothAdapter.Configuration) {
        self.pairingAgent = configuration.pairingAgent
        self.usesCachedDatabases = configuration.usesCachedDatabases
        self.capture(configuration)
        guard let observer = configuration.observer else { return }
        self.source = CapturingSource(self.source, into: ObserverRecorder(observer))
    }

    private mutating func capture(_ configuration: BluetoothAdapter.Configuration) {
        guard let path = configuration.captureFile else { return }
        do {
            let file = try CaptureFile(path: path, logger: Logger(label: "bluetooth.capture"))
            self.source = CapturingSource(self.source, into: file) { file.close() }
        } catch {
            // An error of the capture file is reported now: at the end it would be too late.
            self.source = RefusedSource(error.message)
        }
    }
}

extension BluetoothAdapter.Configuration {
    fileprivate func claimIdentity(_ logger: Logger) throws(TransportError) -> AirIdentity {
        let store = try AirIdentityStore(logger: logger)
        if let identity = self.identity { return try store.claim(name: identity) }
        return try store.claim(program: self.identityName)
    }
}
