// A device whose processes come and go: the state that is kept outlives them, and what the host sends is counted.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testbed

@testable import CoreBluetooth

/// One device on a testbed.
final class RestartableDevice {
    let testbed: Testbed
    let storage: MemoryStorage
    /// The configuration of the next process.
    var configuration: BluetoothAdapter.Configuration
    private let controllerConfiguration: VirtualControllerConfiguration
    /// The adapter of the present process.
    private(set) var adapter: BluetoothAdapter
    private var source: BreakableSource
    /// The opcodes of the ATT PDUs that the present process's host has sent.
    private var sent: [UInt8] = []
    /// The private addresses that the hosts of all processes have set, in order.
    private(set) var privateAddresses: [DeviceAddress] = []

    /// - Parameter resolvingListSize: How many peers its controllers can resolve the addresses of.
    init(
        _ identity: String,
        in testbed: Testbed,
        storage: MemoryStorage = MemoryStorage(),
        permitsPairing: Bool = true,
        privacy: BluetoothAdapter.Configuration.Privacy? = nil,
        resolvingListSize: Int = 64,
        agent: (any PairingAgent)? = nil,
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in }
    ) {
        self.testbed = testbed
        self.storage = storage
        var configuration = BluetoothAdapter.Configuration(identity: identity)
        configuration.permitsPairing = permitsPairing
        configuration.privacy = privacy
        configuration.pairingAgent = agent
        configure(&configuration)
        self.configuration = configuration
        var controllerConfiguration = VirtualControllerConfiguration()
        controllerConfiguration.model.resolvingListSize = resolvingListSize
        self.controllerConfiguration = controllerConfiguration
        self.source = BreakableSource(air: testbed.air, configuration: controllerConfiguration)
        self.adapter = BluetoothAdapter(
            eventLoop: testbed.loop,
            configuration: self.configuration,
            source: self.source,
            storage: storage
        )
        self.watch()
    }

    /// Ends the process, as `kill -9` does or by itself, and begins the next one.
    func restart(byExit: Bool = false) {
        if byExit { self.adapter.shutDown(within: .seconds(1)) {} } else { self.adapter.kill() }
        self.testbed.loop.run()
        self.source.onPacket = nil
        self.source = BreakableSource(air: self.testbed.air, configuration: self.controllerConfiguration)
        self.adapter = BluetoothAdapter(
            eventLoop: self.testbed.loop,
            configuration: self.configuration,
            source: self.source,
            storage: self.storage
        )
        self.sent = []
        self.watch()
    }

    private func watch() {
        self.source.onPacket = { [weak self] packet, isFromHost in
            if isFromHost, packet.kind == .command {
                var payload = packet.payload
                if var command = try? HCICommandPacket(parsing: &payload), command.opcode == LESetRandomAddress.opcode,
                    let address = try? LESetRandomAddress(parsing: &command.parameters).address
                {
                    self?.privateAddresses.append(address)
                }
            }
            // The H4 type, the ACL header, the L2CAP header with the channel of ATT, and then the opcode.
            let bytes = packet.bytes
            if isFromHost, packet.kind == .aclData, bytes.readableBytes > 9,
                bytes.getInteger(at: bytes.readerIndex + 7, endianness: .little, as: UInt16.self) == 4,
                let opcode: UInt8 = bytes.getInteger(at: bytes.readerIndex + 9)
            {
                self?.sent.append(opcode)
            }
        }
    }

    /// The opcodes of the ATT PDUs that the host has sent, and forgets them.
    func takeSent() -> [UInt8] {
        defer { self.sent = [] }
        return self.sent
    }

    /// Its identity address.
    var identityAddress: DeviceAddress { self.configuration.addressOnAir }

    /// The controller is gone, all at once.
    func breakController() { self.source.breakChannel() }
}
