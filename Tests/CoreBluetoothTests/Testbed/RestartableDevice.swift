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
    let storage = MemoryStorage()
    /// The configuration of the next process.
    var configuration: BluetoothAdapter.Configuration
    private var controllerConfiguration = VirtualController.Configuration()
    /// The adapter of the present process.
    private(set) var adapter: BluetoothAdapter!
    private var source: BreakableSource!
    /// The opcodes of the ATT PDUs that the present process's host has sent.
    private var sent: [UInt8] = []
    /// The private addresses that the hosts of all processes have set, in order.
    private(set) var privateAddresses: [DeviceAddress] = []

    /// - Parameter resolvingListSize: How many peers its controllers can resolve the addresses of.
    init(
        _ identity: String,
        in testbed: Testbed,
        resolvingListSize: Int = 64,
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in }
    ) {
        self.testbed = testbed
        self.configuration = BluetoothAdapter.Configuration(identity: identity)
        configure(&self.configuration)
        self.controllerConfiguration.model.resolvingListSize = resolvingListSize
        self.start()
    }

    private func start() {
        let source = BreakableSource(air: self.testbed.air, configuration: self.controllerConfiguration)
        self.source = source
        self.adapter = BluetoothAdapter(
            eventLoop: self.testbed.loop,
            configuration: self.configuration,
            source: source,
            storage: self.storage
        )
        self.sent = []
        source.onPacket = { [weak self] packet, isFromHost in if isFromHost { self?.note(packet) } }
    }

    /// Ends the process as `kill -9` does, and begins the next one.
    func restart() {
        self.adapter.kill()
        self.testbed.loop.run()
        self.source.onPacket = nil
        self.start()
    }

    private func note(_ packet: HCIPacket) {
        if var command = try? HCICommandPacket(packet), command.opcode == LESetRandomAddress.opcode,
            let address = try? LESetRandomAddress(parsing: &command.parameters).address
        {
            self.privateAddresses.append(address)
        }
        // The H4 type, the ACL header, the L2CAP header with the channel of ATT, and then the opcode.
        let octets = Array(packet.bytes.readableBytesView)
        if packet.kind == .aclData, octets.count > 9, octets[7...8] == [4, 0] { self.sent.append(octets[9]) }
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
