import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothBlueZ

struct HostCommandsTests {
    private let peers = [DeviceAddress(0xC0_0000_0001, kind: .random), DeviceAddress(2, kind: .public)]
    private var create: LECreateConnection {
        LECreateConnection(
            scanInterval: ScanInterval(.milliseconds(30)),
            scanWindow: ScanInterval(.milliseconds(30)),
            filterPolicy: .acceptList,
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(.milliseconds(30)),
                maximumInterval: ConnectionInterval(.milliseconds(30)),
                supervisionTimeout: SupervisionTimeout(.seconds(1))
            )
        )
    }

    @Test("want the devices of the accept list while the host initiates")
    func acceptList() {
        var commands = HostCommands()
        for peer in self.peers { commands.sent(LEAddDeviceToFilterAcceptList(entry: .device(peer)).packet()) }
        #expect(commands.wanted.isEmpty)
        commands.sent(self.create.packet())
        #expect(commands.wanted == Set(self.peers))
        commands.sent(LECreateConnectionCancel().packet())
        #expect(commands.wanted.isEmpty)
        commands.sent(LERemoveDeviceFromFilterAcceptList(entry: .device(self.peers[0])).packet())
        commands.sent(self.create.packet())
        #expect(commands.wanted == [self.peers[1]])
    }

    @Test("want the device that the command names")
    func peer() {
        var create = self.create
        create.filterPolicy = .peer
        create.peer = self.peers[0]
        var commands = HostCommands()
        commands.sent(create.packet())
        #expect(commands.wanted == [self.peers[0]])
    }

    @Test("end with the link, and with a reset")
    func ends() {
        var commands = HostCommands()
        commands.sent(LEAddDeviceToFilterAcceptList(entry: .device(self.peers[0])).packet())
        commands.sent(self.create.packet())
        var event = LEEnhancedConnectionComplete(
            handle: ConnectionHandle(rawValue: 0x40),
            role: .peripheral,
            peer: self.peers[0],
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 100)
        )
        commands.received(event.packet())
        #expect(commands.wanted.count == 1, "a link as peripheral is another one")
        event.role = .central
        commands.received(event.packet())
        #expect(commands.wanted.isEmpty)
        commands.sent(self.create.packet())
        commands.sent(Reset().packet())
        #expect(commands.wanted.isEmpty)
    }

    @Test("scan from enable to disable")
    func scanning() {
        var commands = HostCommands()
        commands.sent(LESetScanEnable(isEnabled: true).packet())
        #expect(commands.isScanning)
        commands.sent(LESetScanEnable(isEnabled: false).packet())
        #expect(!commands.isScanning)
    }
}
