// What an adapter is made of, put together on its event loop: the source of its channels, its own address, its capture.

import BluetoothAir
import BluetoothAirService
import BluetoothBlueZ
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// The parts that are made on the event loop.
struct AdapterComponents {
    var source: any ChannelSource
    var configuration: LEHostConfiguration
    /// What has to last as long as the adapter: the lock on its identity.
    var retained: (any Sendable)?
    /// Who speaks with the user while devices pair.
    var pairingAgent: (any PairingAgent)?
    /// Whether databases of peers that are known from before are used.
    var usesCachedDatabases = true
    /// What BlueZ does beside HCI, if the adapter is BlueZ's.
    var bluez: BlueZSource?
}

extension AdapterComponents {
    /// A foundation in an air of this process.
    init(air: Air, _ configuration: BluetoothAdapter.Configuration, address: DeviceAddress) {
        self.init(
            source: AirSource(air: air, location: configuration.location),
            configuration: configuration.hostConfiguration(address: address)
        )
        self.complete(configuration)
    }

    /// The foundation of the adapter with a name.
    ///
    /// What cannot be had is said when the first manager is made.
    init(_ name: AdapterName, _ configuration: BluetoothAdapter.Configuration, on eventLoop: any EventLoop) {
        if case .bluez(let index) = name {
            self.init(BlueZSource(adapter: index, on: eventLoop), configuration)
            return
        }
        let logger = Logger(label: "bluetooth.adapter")
        do {
            let identity: AirIdentity?
            switch name {
            // On an air everybody needs an address of his own; a controller has one as a rule.
            case .userAir, .air: identity = try configuration.claimIdentity(logger)
            case .h4, .serial, .linux, .bluez: identity = nil
            }
            var hostConfiguration = configuration.hostConfiguration(address: identity?.address)
            hostConfiguration.fallbackAddress = configuration.fallbackAddress(on: name)
            switch name {
            // The process that serves an air may be suspended for a moment; it takes up where it was.
            case .userAir, .air: hostConfiguration.commandTimeout = .seconds(20)
            // Some controllers stop at the commands that they list.
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

    /// The foundation of an adapter that BlueZ has.
    init(_ bluez: BlueZSource, _ configuration: BluetoothAdapter.Configuration) {
        var hostConfiguration = configuration.hostConfiguration(address: nil)
        // A virtual controller, whose commands wait for BlueZ.
        hostConfiguration.commandTimeout = .seconds(60)
        hostConfiguration.limitsReceivedData = true
        hostConfiguration.usesExtendedAdvertising = true
        // Pairing is BlueZ's: what it has refused stays refused.
        hostConfiguration.pairing.isPairingAllowed = false
        bluez.capability = configuration.pairingAgent?.capabilities.ioCapability ?? .noInputNoOutput
        self.init(source: BlueZChannelSource(bluez), configuration: hostConfiguration)
        self.bluez = bluez
        self.complete(configuration)
        // The mirror of a device has no hash, by which an old database would be known to hold.
        self.usesCachedDatabases = false
    }

    /// The foundation of an adapter that cannot be.
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
            // A capture that cannot be had is refused now: at the end it would be too late.
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
