// Which answers to Read BD_ADDR say the public address of the device whose host was captured (Vol 4, Part E, 7.4.6).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: the public address")
struct PublicAddressRecordingTests {
    private static let address = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
    private static let accepted = ReadBDADDR.ReturnParameters(address: address)

    /// The address of this device, to which a central connects after these answers.
    private static func recorded(_ answers: ReadBDADDR.ReturnParameters...) -> DeviceAddress? {
        var reader = ConversationReader()
        for answer in answers { reader.receive(CommandComplete.packet(ReadBDADDR.self, answer), .toHost, at: 0) }
        let connection = LEConnectionComplete(
            handle: ConnectionHandle(rawValue: 0x40),
            role: .peripheral,
            peer: DeviceAddress(0xC011_2233_4455, kind: .random),
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        reader.receive(connection.packet(), .toHost, at: 1)
        let peripherals = reader.peripherals()
        #expect(peripherals.map(\.key) == [.local])
        return peripherals.first?.peripheral.address
    }

    @Test("The controller's answer says the address")
    func answered() {
        #expect(Self.recorded() == nil)
        #expect(Self.recorded(Self.accepted) == Self.address)
    }

    @Test("An answer that says that the command failed says no address", arguments: [0, 0x0011_2233_4455] as [UInt64])
    func refused(octets: UInt64) {
        let refused = ReadBDADDR.ReturnParameters(
            status: .hardwareFailure,
            address: DeviceAddress(octets, kind: .public)
        )
        #expect(Self.recorded(refused) == nil)
        #expect(Self.recorded(Self.accepted, refused) == Self.address)
    }

    @Test("An address of zeros is that of a controller without one")
    func zeros() {
        let zeros = ReadBDADDR.ReturnParameters(address: DeviceAddress(0, kind: .public))
        #expect(Self.recorded(zeros) == nil)
        #expect(Self.recorded(Self.accepted, zeros) == Self.address)
    }
}
