// The harness of the host driver's tests: a host on a scripted controller, in virtual time.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

/// A host on a scripted controller, in virtual time.
final class HostTestbed {
    let loop = EmbeddedEventLoop()
    let controller: ScriptedController
    let host: LEHost
    let delegate = RecordingDelegate()
    /// How often the end of a graceful shutdown was reported.
    private(set) var shutdownCount = 0

    init(_ configuration: LEHostConfiguration = LEHostConfiguration()) {
        self.controller = ScriptedController(eventLoop: self.loop)
        self.host = LEHost(eventLoop: self.loop, configuration: configuration)
        self.host.delegate = self.delegate
    }

    /// A host that has set up its controller, which `prepare` may change before.
    static func started(_ prepare: (ScriptedController) -> Void = { _ in }) -> HostTestbed {
        let testbed = HostTestbed()
        prepare(testbed.controller)
        testbed.start()
        return testbed
    }

    /// Attaches the host; what it sends and reports meanwhile is not kept.
    func start() {
        self.host.attach(to: self.controller)
        self.run()
        self.forget()
    }

    /// Discards the commands and reports that were recorded.
    func forget() {
        _ = self.controller.takeCommands()
        _ = self.delegate.takeLines()
    }

    /// Lets time pass.
    func run(_ time: TimeAmount = .zero) { self.loop.advanceTime(by: time) }

    /// Connects as a central.
    func connect(_ handle: UInt16, _ peer: DeviceAddress) {
        self.host.connect(to: peer)
        self.run()
        self.controller.connect(handle, peer: peer, role: .central)
        self.run()
        self.forget()
    }

    /// A link in the peripheral role, in which the host sends nothing of its own accord.
    func acceptLink(_ handle: UInt16, from peer: DeviceAddress? = nil) -> LinkID? {
        var link: LinkID?
        self.delegate.onConnect = { link = $0.id }
        let peer = peer ?? DeviceAddress(UInt64(handle), kind: .public)
        self.controller.connect(handle, peer: peer, role: .peripheral)
        self.run()
        return link
    }

    /// Shuts the host down within a second.
    func shutDown() {
        let before = self.shutdownCount
        self.host.detachGracefully(within: .seconds(1)) { self.shutdownCount += 1 }
        #expect(self.shutdownCount == before, "nothing is called re-entrantly")
        self.run()
    }

    /// The handle and the reason of the last link that was ended.
    func disconnected() throws -> Disconnect {
        var parameters = try #require(self.controller.parameters[Disconnect.opcode])
        return try Disconnect(parsing: &parameters)
    }

    /// A link in the peripheral role, over which a client subscribes to a characteristic of the host.
    func subscribe(_ handle: UInt16, from peer: DeviceAddress) -> (link: LinkID, characteristic: AttributeHandle)? {
        let definition = GATTServiceDefinition(
            uuid: 0xA000,
            characteristics: [GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: [])]
        )
        guard let characteristic = try? self.host.addService(definition).characteristics[0],
            let configuration = characteristic.clientConfiguration, let link = self.acceptLink(handle, from: peer)
        else { return nil }
        let low = UInt8(truncatingIfNeeded: configuration)
        let high = UInt8(truncatingIfNeeded: configuration >> 8)
        self.controller.receive(handle, channel: 4, [0x12, low, high, 0x01, 0x00])
        self.run()
        self.controller.complete(handle, count: 1)
        self.run()
        _ = self.controller.takeData()
        _ = self.delegate.takeLines()
        return (link, characteristic.value)
    }
}
